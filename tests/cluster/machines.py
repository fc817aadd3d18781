"""Machines: each has its own network, mounts, process ids and name, and serves one AppDir.

Owns: the namespaces, the two networks between them, the process of each server, and how a trial kills or cuts one.
Never: leaves anything behind: all of it is in namespaces that end with the process of run.py.

Clients reach the servers by the network `front`, the servers reach the bricks by the network `back`. Process ids begin at 1 on each
machine, so that two servers have the same one, as may happen on real machines.
"""

import json
import subprocess
import time
from pathlib import Path

from volume import run

FRONT, BACK = "10.77.1", "10.77.2"
PORT = 8080
NAMESPACES = ("--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc", "--propagation", "private")


def child_of(process):
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])


def make_networks():
    run("ip", "link", "set", "lo", "up")
    for name, net in (("front", FRONT), ("back", BACK)):
        run("ip", "link", "add", name, "type", "bridge")
        run("ip", "addr", "add", f"{net}.1/24", "dev", name)
        run("ip", "link", "set", name, "up")


class Server:
    """One server process. `enter` is the command that begins on its machine, or nothing."""

    def __init__(self, command, log, enter=()):
        self.command, self.log, self.enter = command, log, enter
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.enter, *map(str, self.command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_until_serving(self, address, seconds=30):
        from client import reachable

        end = time.monotonic() + seconds
        while not reachable(address):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server does not start: {Path(self.log).read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """Ends the server as a crash would."""
        if self.enter:
            # nsenter waits for the process that it started on the machine.
            run("kill", "-KILL", str(child_of(self.process.pid)))
        else:
            self.process.kill()
        self.process.wait()


class Peer:
    """A process on a machine's mount that does single steps with the functions that servers use, as `doctor --shared` has it do."""

    def __init__(self, machine, binary, folder):
        command = [*machine.enter, str(binary), "file-system-peer", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def step(self, step):
        """Returns the number that a step gives, or why it failed."""
        print(json.dumps(step), file=self.process.stdin, flush=True)
        reply = json.loads(self.process.stdout.readline())
        return reply.get("Done", reply.get("Failed"))

    def until(self, step, number, seconds=60):
        """Repeats a step until it gives a number."""
        end = time.monotonic() + seconds
        while (got := self.step(step)) != number:
            if time.monotonic() > end:
                raise AssertionError(f"{step} gives {got!r} and not {number}")
            time.sleep(0.1)

    def reached(self, step, seconds=30):
        """Repeats a step until it reaches the bricks, and returns what it gives."""
        end = time.monotonic() + seconds
        while "not connected" in str(got := self.step(step)) and time.monotonic() < end:
            time.sleep(0.2)
        return got

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Machine:
    """A machine of the cluster. `number` begins at 1."""

    def __init__(self, work, number):
        self.name = f"m{number}"
        self.folder = Path(work) / self.name
        (self.folder / "cache").mkdir(parents=True)
        # The first process of a machine collects what its daemons leave.
        script = f"hostname {self.name}; while :; do sleep 3600 & wait $!; done"
        self.holder = subprocess.Popen(["unshare", *NAMESPACES, "sh", "-c", script], stdin=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while True:
            try:
                self.first = child_of(self.holder.pid)
                if Path(f"/proc/{self.first}/root/proc/1/cmdline").read_text().startswith("sh"):
                    break
            except (IndexError, OSError):
                pass
            if time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not start")
            time.sleep(0.02)
        self.enter = ("nsenter", "-t", str(self.first), "-m", "-n", "-p", "-u", "--")
        self.run("ip", "link", "set", "lo", "up")
        for net, base in (("front", FRONT), ("back", BACK)):
            outer = f"{net}-{number}"
            run("ip", "link", "add", outer, "type", "veth", "peer", "name", net, "netns", str(self.first))
            run("ip", "link", "set", outer, "master", net, "up")
            self.run("ip", "addr", "add", f"{base}.{10 + number}/24", "dev", net)
            self.run("ip", "link", "set", net, "up")
        self.address = (f"{FRONT}.{10 + number}", PORT)
        self.cable = f"back-{number}"

    def run(self, *command, check=True):
        return run(*self.enter, *command, check=check)

    def path(self, place):
        """A path of this machine, as the harness opens it."""
        return Path(f"/proc/{self.first}/root") / str(place).lstrip("/")

    def cut(self):
        """Nothing passes between this machine and the bricks any more; no side is told."""
        run("ip", "link", "set", self.cable, "nomaster")

    def reconnect(self):
        run("ip", "link", "set", self.cable, "master", "back")
