"""HAProxy before the servers: requests in turn, those of a session to the server that began it, none to a server that is down.

Owns: its configuration and its process.
"""

import subprocess
import time

from client import reachable

CONFIG = """global
    maxconn 2000
    log stdout format raw local0 notice
defaults
    mode http
    timeout connect 2s
    timeout client 120s
    timeout server 120s
    timeout check 2s
    retries 2
    option redispatch
frontend all
    bind {host}:{port}
    default_backend servers
backend servers
    balance roundrobin
    stick-table type string len 64 size 100k expire 30m
    stick on req.hdr(Mcp-Session-Id)
    stick store-response res.hdr(Mcp-Session-Id)
    option httpchk
    http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host localhost
    default-server check inter 500ms fall 2 rise 1
{servers}
"""


class Proxy:
    def __init__(self, work, host, port, servers):
        self.address = (host, port)
        lines = [f"    server m{n} {at[0]}:{at[1]}" for n, at in enumerate(servers, 1)]
        file = work / f"haproxy-{port}.cfg"
        file.write_text(CONFIG.format(host=host, port=port, servers="\n".join(lines)))
        with open(work / f"haproxy-{port}.log", "wb") as log:
            self.process = subprocess.Popen(
                ["haproxy", "-db", "-f", file], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        end = time.monotonic() + 10
        while not reachable(self.address):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"HAProxy does not start: see {work}/haproxy-{port}.log")
            time.sleep(0.05)

    def end(self):
        self.process.terminate()
        self.process.wait()
