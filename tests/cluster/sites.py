"""The two sites of a trial: the cluster, and one machine with a local folder for the figure beside it.

Owns: the AppDir of each, the configuration of each server, and the names by which trials reach both sites alike.
"""

import json
import subprocess
import time
from pathlib import Path

from client import MODERN, REVISIONS, Client
from machines import BACK, FRONT, PORT, Machine, Peer, Server
from proxy import Proxy
from volume import Volume, run

SERVERS = 3
SINGLE_PORT = 18080
# Each has its own share of the audit trail: for the trials, for the one that counts its lines there, and one for each measured site.
TOKENS = ("team", "counted", "measured-0", "measured-1", "measured-2", "measured-3")
CONFIG = """[server]
watch = "poll"
[cache]
dir = "{cache}"
[blog]
remote = true
accept = "agent"
[ace]
root = "{app}/ace"
[http]
hosts = ["cluster.example"]
"""
# A tool whose calls are tasks, and count themselves.
TASK_INDEX = """version: "1.0"
namespace: cluster
entries:
  - name: counted
    kind: function.lua
    source: file://counted.lua
    method: call
    modules: [store, time]
    meta:
      mcp.tool: true
      mcp.name: counted
      mcp.description: Counts its calls
      mcp.task: optional
      mcp.inputSchema: { type: object, properties: { n: { type: integer } }, required: [n] }
"""
TASK_HANDLER = """local M = {}
function M.call(arguments)
  local kept = store.get('cluster')
  kept:set('n' .. arguments.n, (kept:get('n' .. arguments.n) or 0) + 1)
  time.sleep('300ms')
  return { n = arguments.n, times = kept:get('n' .. arguments.n) }
end
return M
"""


def prepare(wardroom, app, config):
    """Makes what the trials work on, before a server runs."""
    wardroom("init", "--demo", app=app, config=config)
    # The folder is named by the configuration.
    wardroom("ace", "init", app=app, config=config)


def declare_task(app):
    folder = app / "registry/cluster"
    folder.mkdir()
    (folder / "_index.yaml").write_text(TASK_INDEX)
    (folder / "counted.lua").write_text(TASK_HANDLER)


class Site:
    """What trials use. `servers` are addresses, `entry` is where a client that knows nothing of them goes."""

    # How many drafts were accepted.
    accepted = 0

    def clients(self, count, revisions=REVISIONS, timeout=60, token=None):
        """Clients of the entry, which speak the revisions in turn."""
        return [Client(self.entry, token or self.tokens[0], revisions[n % len(revisions)], timeout) for n in range(count)]

    def direct(self, at, revision=MODERN, timeout=60):
        """A client of one server; on one machine all of them are the same."""
        return Client(self.servers[at % len(self.servers)], self.tokens[0], revision, timeout)

    def json_lines(self, name):
        text = (self.app / name).read_text()
        return [json.loads(line) for line in text.splitlines()]


class Single(Site):
    """One server on a local folder."""

    name = "one machine"

    def __init__(self, binary, work):
        self.binary, self.work = binary, Path(work) / "single"
        self.app, self.config = self.work / "app", self.work / "config.toml"
        (self.work / "cache").mkdir(parents=True)
        self.config.write_text(CONFIG.format(cache=self.work / "cache", app=self.app))
        prepare(self.wardroom, self.app, self.config)
        self.tokens = [self.wardroom("token", "new", name).strip() for name in TOKENS]
        self.token_table = "[http.tokens." + self.config.read_text().split("[http.tokens.", 1)[1]
        declare_task(self.app)
        self.entry = ("127.0.0.1", SINGLE_PORT)
        self.servers = [self.entry]
        command = [binary, "--appdir", self.app, "--config", self.config, "serve", "--http", f"127.0.0.1:{SINGLE_PORT}"]
        self.server = Server(command, self.work / "server.log")
        self.start()

    def wardroom(self, *arguments, app=None, config=None, check=True):
        options = ("--appdir", app or self.app, "--config", config or self.config)
        done = run(self.binary, *options, *arguments, check=check)
        return done.stdout

    def start(self):
        self.server.start()
        self.server.wait_until_serving(self.entry)

    def kill_server(self, _):
        self.server.kill()

    def start_server(self, _):
        self.start()

    # One machine has no bricks, and no network to them.
    cut_network = None
    peer = None

    @staticmethod
    def healed():
        return ""

    def kill_brick(self):
        pass

    def start_brick(self):
        pass

    def fill_brick(self):
        pass

    def free_brick(self):
        pass


class Cluster(Site):
    """Machines with a server each on one volume, and a proxy before them. The stamp of the file system is checked first."""

    name = "cluster"

    def __init__(self, binary, work, single):
        """`single` has the tokens: they are the same everywhere."""
        self.binary, self.work = binary, Path(work)
        self.tokens, self.token_table = single.tokens, single.token_table
        self.volume = Volume(self.work, f"{BACK}.1")
        self.shared = self.work / "shared"
        self.shared.mkdir()
        self.machines, self.processes = [], []
        for _ in range(SERVERS):
            self.add_machine()
        first = self.machines[0]
        self.app = first.path(self.shared / "app")
        prepare(self.wardroom, self.shared / "app", first.folder / "config.toml")
        declare_task(self.app)
        self.checked = self.check_file_system()
        for at in range(SERVERS):
            self.start_server(at)
        self.proxy = Proxy(self.work, f"{FRONT}.1", PORT, self.servers)
        self.entry = self.proxy.address

    @property
    def servers(self):
        return [machine.address for machine in self.machines]

    def add_machine(self):
        machine = Machine(self.work, len(self.machines) + 1)
        self.machines.append(machine)
        self.volume.mount(machine.run, self.shared)
        config = machine.folder / "config.toml"
        values = {"cache": machine.folder / "cache", "app": self.shared / "app"}
        trust = "[appdir]\ntrust_filesystem = true\n" if machine is self.machines[0] else ""
        # Only the commands that fill the AppDir before the check trust the file system.
        config.write_text(trust + CONFIG.format(**values) + self.token_table)
        command = [self.binary, "--appdir", self.shared / "app", "--config", config, "serve"]
        command += ["--http", f"{machine.address[0]}:{PORT}"]
        self.processes.append(Server(command, machine.folder / "server.log", machine.enter))

    def check_file_system(self):
        """Runs `wardroom doctor --shared` on two mounts of one machine, which leaves the stamp. Returns its seconds."""
        first, begun = self.machines[0], time.monotonic()
        peer = self.work / "peer"
        peer.mkdir()
        self.volume.mount(first.run, peer)
        first.run(self.binary, "doctor", "--shared", self.shared / "app", "--peer", peer / "app")
        first.run("umount", peer)
        config = first.folder / "config.toml"
        config.write_text(config.read_text().replace("trust_filesystem = true", "trust_filesystem = false"))
        return time.monotonic() - begun

    def wardroom(self, *arguments, app=None, config=None, at=0, check=True):
        machine = self.machines[at]
        options = ("--appdir", app or self.shared / "app", "--config", config or machine.folder / "config.toml")
        return machine.run(self.binary, *options, *arguments, check=check).stdout

    def start_server(self, at):
        self.processes[at].start()
        self.processes[at].wait_until_serving(self.servers[at])

    def kill_server(self, at):
        self.processes[at].kill()

    def peer(self, at, folder):
        return Peer(self.machines[at], self.binary, folder)

    def kill_brick(self):
        self.volume.kill_brick(1)

    def start_brick(self):
        self.volume.start_brick()

    def fill_brick(self):
        self.volume.fill_brick(2)

    def free_brick(self):
        self.volume.free_brick(2)

    def cut_network(self, at):
        self.machines[at].cut()

    def reconnect_network(self, at):
        self.machines[at].reconnect()

    def healed(self):
        """Waits until each brick has everything, and compares the files of all bricks."""
        seconds = self.volume.heal()
        first, *others = self.volume.files_of_bricks("app")
        for at, other in enumerate(others, 2):
            different = sorted(name for name in first.keys() | other.keys() if first.get(name) != other.get(name))
            assert not different, f"brick {at} differs from the first: {different[:5]}"
        return f"; healed after {seconds:.1f} s, {len(first)} files alike on all bricks"
