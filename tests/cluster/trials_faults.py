"""Trials in which something fails during traffic: a server, a brick, a network, a disk.

Owns: the traffic, whose runs count themselves and write a card each, and what must hold of it whatever fails.

A client repeats what it may repeat: a begin that was not answered (a run that no client knows counts nothing), and an answer
until it was taken. So the counter and the cards say exactly how many runs were completed.
"""

import threading
import time

from client import LEGACY, MODERN, Refused, Unknown, reachable, together
from trials_runs import ASKS, counter, listed_cards
from volume import PING_SECONDS

N_CLIENTS = 6
EACH = 12
# Runs that are paused on a machine when its network is cut.
N_KEPT = 5
# What a client meets while a server, a brick or a network is down, and for which it repeats its call.
AGAIN = ("BUSY", -31000, "STORE", "READ", "WRITE", "DIED", "UNREADABLE", "IO", "ERROR")


class Traffic:
    """Runs of clients, each begun and answered once."""

    def __init__(self, site, key, clients=None):
        self.site, self.key = site, key
        self.clients = clients or site.clients(N_CLIENTS, timeout=30)
        self.lock, self.done, self.errors = threading.Lock(), [], {}
        self.slowest = 0.0

    def note(self, error):
        with self.lock:
            name = error.code if isinstance(error, Refused) else "no answer"
            self.errors[name] = self.errors.get(name, 0) + 1

    def repeat(self, client, tool, arguments, seconds=60):
        """Sends a call until it is answered."""
        begun = time.monotonic()
        while True:
            try:
                answer = client.call(tool, arguments)
                self.slowest = max(self.slowest, time.monotonic() - begun)
                return answer
            except (Refused, Unknown) as error:
                self.note(error)
                if isinstance(error, Refused) and error.code not in AGAIN or time.monotonic() - begun > seconds:
                    raise
                time.sleep(0.1)

    def work(self, client):
        code = (
            f"local answer = alc.llm('?') local n = alc.state.incr('{self.key}') "
            f"return {{n, alc.card.create({{pkg = {{name = '{self.key}'}}}}).card_id}}"
        )
        for _ in range(EACH):
            session = self.repeat(client, "alc_run", {"code": code})["session_id"]
            answer = self.repeat(client, "alc_continue", {"session_id": session, "query_id": "q-0", "response": "x"})
            with self.lock:
                self.done.append(answer["result"])

    def run(self, fault):
        """Runs all of the traffic; `fault` gets a function that waits until a share of it is done."""

        def reach(share):
            while len(self.done) < share * EACH * len(self.clients) and not all(one.finished for one in workers):
                time.sleep(0.01)

        class Worker:
            """The work of one client."""

            def __init__(self, traffic, client):
                self.traffic, self.client, self.finished = traffic, client, False

            def __call__(self):
                try:
                    self.traffic.work(self.client)
                finally:
                    self.finished = True

        workers = [Worker(self, client) for client in self.clients]
        together([*workers, lambda: fault(reach)])

    def check(self, at=0):
        """Nothing is lost and nothing is there twice. Returns what was counted."""
        total = EACH * len(self.clients)
        numbers, cards = sorted(n for n, _ in self.done), {card for _, card in self.done}
        assert len(self.done) == total, f"{len(self.done)} of {total} runs"
        assert numbers == list(range(1, total + 1)), f"a number came twice, or never: {numbers}"
        assert counter(self.site.direct(at), self.key) == total
        rows = listed_cards(self.site.direct(at), self.key)
        assert rows == cards and len(rows) == total, f"{len(rows)} cards of {total} runs"
        errors = ", ".join(f"{count} {name}" for name, count in self.errors.items())
        return f"{total} runs counted once, {len(rows)} cards; slowest call {self.slowest:.1f} s; repeated: {errors or 'none'}"


def killed_server(site):
    """A server is killed in the middle of the traffic, and starts again later."""
    traffic = Traffic(site, "killed_server")

    def fault(reach):
        reach(0.25)
        site.kill_server(1)
        if len(site.servers) > 1:
            reach(0.6)
        site.start_server(1)

    traffic.run(fault)
    return traffic.check(1)


def broken_brick(site, key, hurt, mend):
    """Hurts a brick after a quarter of the traffic and mends it after three quarters. The volume must heal."""
    traffic = Traffic(site, key)

    def fault(reach):
        reach(0.25)
        hurt()
        reach(0.75)
        mend()

    traffic.run(fault)
    counted = traffic.check()
    return counted + site.healed()


def killed_brick(site):
    """A brick is killed in the middle of the traffic, starts again and is healed."""
    return broken_brick(site, "killed_brick", site.kill_brick, site.start_brick)


def filled_brick(site):
    """The disk of one brick becomes full in the middle of the traffic, is freed and healed."""
    return broken_brick(site, "filled_brick", site.fill_brick, site.free_brick)


def cut_network(site):
    """A machine loses its network to the bricks. It refuses, the others go on, and it works again afterwards."""
    clients = [site.direct(at, (MODERN, LEGACY)[n % 2], timeout=30) for n, at in enumerate((0, 2, 0, 2))]
    traffic = Traffic(site, "cut_network", clients)
    # The machine that is cut keeps processes for these runs, which others end meanwhile.
    kept = [site.direct(1).call("alc_run", {"code": ASKS.format(key="kept")})["session_id"] for _ in range(N_KEPT)]
    told, results, health = [], [], []

    def answer(client, session, response):
        arguments = {"session_id": session, "query_id": "q-0", "response": response}
        return client.call_until("alc_continue", arguments)["result"]

    def fault(reach):
        reach(0.2)
        if site.cut_network:
            site.cut_network(1)
        begun = time.monotonic()
        try:
            # The first call waits until the client of the file system gives up.
            while site.cut_network and time.monotonic() - begun < 4 * PING_SECONDS and len(told) < 3:
                told.append(refusal(site.direct(1, timeout=3 * PING_SECONDS)))
            results.extend(answer(site.direct(0), session, "others") for session in kept)
            reach(1)
        finally:
            if site.cut_network:
                assert not reachable(site.servers[1]), "/healthz says that the cut machine is fit"
                health.append("says that it is unfit")
                site.reconnect_network(1)

    traffic.run(fault)
    counted = traffic.check()
    begun, cut = time.monotonic(), site.direct(1)
    while (still := refusal(cut)) is not None:
        assert time.monotonic() - begun < 60, f"the machine does not work again: {still[0]}"
        time.sleep(0.2)
    again = time.monotonic() - begun
    assert counter(cut, "cut_network") == EACH * len(clients), "the machine does not read what was written meanwhile"
    assert [answer(cut, session, "cut") for session in kept] == results, "a run has two results"
    assert sorted(n for _, n in results) == list(range(1, N_KEPT + 1)), f"runs of the cut machine: {results}"
    assert counter(cut, "kept") == N_KEPT
    counted += f"; {N_KEPT} runs of the other machine ended once"
    if not site.cut_network:
        return counted
    assert None not in told, "the machine takes a run while it is cut"
    said, waited = told[0]
    later = max(seconds for _, seconds in told[1:])
    counted += f"; it refuses after {waited:.1f} s, then within {later:.1f} s: {said}; /healthz {health[0]}"
    return f"{counted}; works again after {again:.1f} s"


def lost_lock(site):
    """A machine loses its network while it holds a lock and a journal, and another one takes both. Then the first commits nothing."""
    if not site.peer:
        return "no other machine"
    (site.app / "fence").mkdir()
    holder, other = (site.peer(at, site.shared / "app/fence") for at in (1, 2))
    for step in ("Hold", {"Write": {"version": 1}}, "CreateJournal", "HoldJournal", "AppendToHeld"):
        assert isinstance(holder.step(step), int), step
    assert other.step("IsHeld") == 1 and other.step("Read") == 1
    site.cut_network(1)
    try:
        begun = time.monotonic()
        other.until("Hold", 0)
        waited = time.monotonic() - begun
        assert other.step({"Write": {"version": 2}}) == 0
        assert other.step({"CountInJournal": {"times": 1}}) == 2
    finally:
        site.reconnect_network(1)
    holder.until("Read", 2)
    # The machine can write again: it is its lock that it lacks.
    beside = site.peer(1, site.shared / "app/fence")
    beside.until({"CreateNamed": {"name": "beside"}}, 0)
    # Each of its connections to the bricks comes back by itself.
    refused = [holder.reached(step) for step in ({"Write": {"version": 3}}, "AppendToHeld")]
    assert all("locked by another process" in str(why) for why in refused), refused
    assert (other.step("Read"), other.step({"CountInJournal": {"times": 1}})) == (2, 3)
    # With the lock taken anew it goes on.
    assert other.step("Release") == 0
    holder.until("Release", 0)
    holder.until("Hold", 0)
    assert holder.step({"Write": {"version": 4}}) == 0 and other.step("Read") == 4
    for peer in (holder, other, beside):
        peer.close()
    return f"another machine gets the lock after {waited:.1f} s; the first one's file and line are refused"


def refusal(client):
    """What a server says to a run that pauses, and after how long; None if it takes it."""
    begun = time.monotonic()
    try:
        client.call("alc_run", {"code": "return alc.llm('?')"})
        return None
    except (Refused, Unknown) as error:
        return str(error), time.monotonic() - begun


def afterwards(site):
    """After all of it each server still writes, the audit trail is whole, and the file system lacks nothing."""
    for at in range(3):
        answer = site.direct(at).call_until("alc_run", {"code": "return alc.state.incr('afterwards')"})
        assert answer["result"] == at + 1, answer
    # Each server compares the blog now and then, and the last change of it is long ago.
    begun = time.monotonic()
    for at in range(3):
        while (count := found_drafts(site.direct(at))) != site.accepted:
            assert time.monotonic() - begun < 10, f"server {at + 1} finds {count} of {site.accepted} posts of accepted drafts"
            time.sleep(0.5)
    verified = site.wardroom("audit", "verify").strip()
    return f"audit verify: {verified}{site.healed()}"


def found_drafts(client):
    found = client.call_until("search_posts", {"query": "Draft", "limit": 50})
    return sum(post["title"].startswith("Draft ") for post in found["posts"])
