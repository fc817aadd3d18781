"""What more servers give: requests a second and their latency through HAProxy, with 1, 2 and 4 servers, and on one machine.

Owns: the loads, the clients that send them without a pause, the processor time that each part takes for a request, and the tables.
Never: judges. Clients, proxy, servers and bricks share the processors of one machine, which the table says.
"""

import os
import time
from pathlib import Path

from client import LEGACY, MODERN, Client, Refused, together
from machines import FRONT, PORT
from proxy import Proxy

N_CLIENTS = 16
# A search of cards looks at each of them, and there are more than a thousand after the trials.
N_SEARCHERS = 2
SECONDS = 2.5
SIZES = (1, 2, 4)
LOADS = [
    ("read", N_CLIENTS, lambda client: client.request("resources/read", {"uri": "alc://packages/cot/meta"})),
    ("run of `return 1`", N_CLIENTS, lambda client: client.call("alc_run", {"code": "return 1"})),
    ("search of posts", N_CLIENTS, lambda client: client.call("search_posts", {"query": "watch", "limit": 5})),
    ("search of cards", N_SEARCHERS, lambda client: client.call("alc_card_find", {"pkg": "paused", "limit": 10})),
]

# What the processors work for, by the names of programs.
PARTS = [("bricks", "glusterfsd"), ("clients of the file system", "glusterfs"), ("servers", "wardroom"), ("proxy", "haproxy")]


def processor_seconds():
    """The processor time of each part so far, that of processes that ended included."""
    ticks, spent = os.sysconf("SC_CLK_TCK"), dict.fromkeys((program for _, program in PARTS), 0.0)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        name, fields = text.split("(", 1)[1].rsplit(")", 1)
        if name in spent:
            spent[name] += sum(map(int, fields.split()[11:15])) / ticks
    return spent


def measure(entry, token, count, load):
    """Returns the requests a second, both percentiles in milliseconds, and how many were refused because the server was busy."""
    clients = [Client(entry, token, (MODERN, LEGACY)[n % 2]) for n in range(count)]
    for client in clients:
        load(client)
    end = time.monotonic() + SECONDS

    def work(client):
        times, busy = [], 0
        while (begun := time.monotonic()) < end:
            try:
                load(client)
            except Refused as error:
                if error.code not in ("BUSY", -31000):
                    raise
                busy += 1
                continue
            times.append(time.monotonic() - begun)
        client.close()
        return times, busy

    begun = time.monotonic()
    found = together([lambda client=client: work(client) for client in clients])
    seconds = time.monotonic() - begun
    times, busy = sorted(sum((times for times, _ in found), [])), sum(busy for _, busy in found)
    return len(times) / seconds, times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000, busy


def growth(cluster, single):
    """Prints a line for each load and size. Returns the lines of the table."""
    while len(cluster.machines) < max(SIZES):
        cluster.add_machine()
        cluster.start_server(len(cluster.machines) - 1)
    sites = [("one machine, no proxy", single.entry, None)]
    for size in SIZES:
        proxy = Proxy(cluster.work, f"{FRONT}.1", PORT + size, cluster.servers[:size])
        sites.append((f"{size} server{'s' * (size > 1)}", proxy.address, proxy))
    parts = ["| processor time of a request, 2 servers | " + " | ".join(part for part, _ in PARTS) + " |", "| --- |" + " --- |" * len(PARTS)]
    lines = [
        f"All of it on {os.cpu_count()} processors: clients, proxy, servers and bricks.",
        "",
        f"| load | {' | '.join(name for name, _, _ in sites)} |",
        f"| --- |{' --- |' * len(sites)}",
    ]
    for name, count, load in LOADS:
        cells = []
        for at, (site, entry, _) in enumerate(sites):
            # Beyond its share of the audit trail, the calls of a caller write no lines and are faster.
            before = processor_seconds()
            rate, half, most, busy = measure(entry, cluster.tokens[2 + at], count, load)
            spent = {program: seconds - before[program] for program, seconds in processor_seconds().items()}
            if site == "2 servers":
                each = [f"{spent[program] * 1000 / (rate * SECONDS):.2f} ms" for _, program in PARTS]
                parts.append(f"| {name} | {' | '.join(each)} |")
            refused = f", {busy} busy" if busy else ""
            cells.append(f"{rate:.0f}/s, p50 {half:.1f} ms, p99 {most:.1f} ms{refused}")
            print(f"       {name}, {count} clients, {site}: {cells[-1]}", flush=True)
        lines.append(f"| {name}, {count} clients | {' | '.join(cells)} |")
    for _, _, proxy in sites:
        if proxy:
            proxy.end()
    return [*lines, "", *parts]
