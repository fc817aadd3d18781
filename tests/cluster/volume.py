"""The shared file system: three bricks on images of their own, and a glusterd of its own that serves them.

Owns: the images, the volume with the options of docs/SCALING.md, and what a trial does to a brick: kill, heal, fill, free.
Never: uses the working directory, the logs or the sockets of a glusterd of this machine: run.py hides them by mounts.
"""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

NAME = "cluster"
BRICKS = 3
BRICK_BYTES = 160 << 20
PERFORMANCE = ("quick-read", "io-cache", "stat-prefetch", "read-ahead", "write-behind", "open-behind", "readdir-ahead")
# How long a brick or a client may be silent before the other side gives it up.
PING_SECONDS = 5
OPTIONS = {
    **{f"performance.{name}": "off" for name in PERFORMANCE},
    "cluster.quorum-type": "auto",
    # Else a client keeps the lock of a write for a second, and the next client waits for it.
    "cluster.eager-lock": "off",
    "network.ping-timeout": str(PING_SECONDS),
    # A brick releases the locks of a client whose network is gone only when it notices that.
    "server.tcp-user-timeout": str(PING_SECONDS),
    "server.keepalive-time": "2",
    "server.keepalive-interval": "1",
    "server.keepalive-count": "3",
    "cluster.heal-timeout": "5",
    # Another brick is full when its disk is.
    "storage.reserve": "0",
}
MOUNT_OPTIONS = "attribute-timeout=0,entry-timeout=0,negative-timeout=0,direct-io-mode=enable"
DAEMON = """volume management
    type mgmt/glusterd
    option working-directory {lib}
    option transport-type socket
    option transport.socket.listen-port 24007
    option transport.socket.keepalive-time 10
    option transport.socket.keepalive-interval 2
    option ping-timeout 0
    option event-threads 1
    option max-port 60999
end-volume
"""


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {(done.stdout + done.stderr).strip()}")
    return done


class Volume:
    """A started volume, at an address of this machine."""

    def __init__(self, work, address):
        self.work, self.address = Path(work), address
        self.bricks = [self.work / f"brick-{n}" for n in range(1, BRICKS + 1)]
        self.hide_own_folders()
        for brick in self.bricks:
            image = brick.with_suffix(".img")
            with open(image, "wb") as file:
                file.truncate(BRICK_BYTES)
            run("mkfs.ext4", "-q", "-F", "-m", "0", image)
            brick.mkdir()
            run("mount", "-o", "loop", image, brick)
            (brick / "data").mkdir()
        self.start_daemon()
        places = [f"{address}:{brick}/data" for brick in self.bricks]
        self.gluster("volume", "create", NAME, "replica", str(BRICKS), *places, "force")
        for option, value in OPTIONS.items():
            self.gluster("volume", "set", NAME, option, value)
        self.gluster("volume", "start", NAME)

    def hide_own_folders(self):
        """Mounts folders of the work folder over those of a glusterd of this machine."""
        lib, log = self.work / "glusterd", self.work / "log"
        for folder, place in ((lib, "/var/lib/glusterd"), (log, "/var/log/glusterfs")):
            folder.mkdir()
            Path(place).mkdir(parents=True, exist_ok=True)
            run("mount", "--bind", folder, place)
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        Path("/run/gluster").mkdir()

    def start_daemon(self):
        file = self.work / "glusterd.vol"
        file.write_text(DAEMON.format(lib=self.work / "glusterd"))
        command = ["glusterd", "-f", file, "-N", "-p", "/run/glusterd.pid", "-l", self.work / "log/glusterd.log"]
        self.daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while run("gluster", "--mode=script", "pool", "list", check=False).returncode != 0:
            if time.monotonic() > end or self.daemon.poll() is not None:
                raise RuntimeError(f"glusterd does not start: see {self.work}/log/glusterd.log")
            time.sleep(0.2)

    @staticmethod
    def gluster(*arguments):
        return run("gluster", "--mode=script", *arguments).stdout

    def mount(self, run_on, place):
        """Mounts the volume on a machine: `run_on` runs a command there."""
        run_on("mount", "-t", "glusterfs", "-o", MOUNT_OPTIONS, f"{self.address}:/{NAME}", place)

    def brick_process(self, at):
        """The process of a brick, or None if it does not run."""
        name = f"{self.address}{self.bricks[at]}/data".replace("/", "-")
        try:
            return int(Path(f"/run/gluster/vols/{NAME}/{name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def kill_brick(self, at):
        process = self.brick_process(at)
        os.kill(process, signal.SIGKILL)
        # glusterd and its bricks are children of this process once they run by themselves.
        try:
            os.waitpid(process, 0)
        except ChildProcessError:
            pass

    def start_brick(self):
        self.gluster("volume", "start", NAME, "force")

    def pending_heals(self):
        """How many entries some brick lacks, or None if a brick does not answer."""
        summary = self.gluster("volume", "heal", NAME, "info")
        counts = re.findall(r"^Number of entries: (\S+)$", summary, re.MULTILINE)
        return None if len(counts) < BRICKS or "-" in counts else sum(map(int, counts))

    def heal(self, seconds=60):
        """Waits until no brick lacks anything. Returns how many seconds that took."""
        begun = time.monotonic()
        while (left := self.pending_heals()) != 0:
            if time.monotonic() - begun > seconds:
                raise AssertionError(f"after {seconds} s {left} entries are not healed")
            run("gluster", "--mode=script", "volume", "heal", NAME, check=False)
            time.sleep(0.5)
        return time.monotonic() - begun

    def fill_brick(self, at):
        """Leaves no block of a brick's disk free."""
        with open(self.bricks[at] / "filler", "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass
            os.fsync(file.fileno())

    def free_brick(self, at):
        (self.bricks[at] / "filler").unlink()

    def files_of_bricks(self, below):
        """What each brick has of the files below a folder of the volume: path and content."""
        found = []
        for brick in self.bricks:
            top = brick / "data" / below
            files = sorted(path for path in top.rglob("*") if path.is_file())
            found.append({str(path.relative_to(top)): path.read_bytes() for path in files})
        return found
