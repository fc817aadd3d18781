"""Several machines on one AppDir, in trials: `python3 run.py WARDROOM WORK [--only NAME] [--quick] [--growth]`, or `run.py --check`.

WARDROOM is the binary, WORK a folder for what is written. Three bricks of GlusterFS (replica 3, quorum on), three servers in
namespaces of their own, HAProxy before them, clients of both revisions: docs/SCALING.md. Each trial runs on the cluster and on one
machine with a local folder, prints a line, and fails where something is lost or happens twice.

Owns: what the machine must have, the namespaces around everything, the order of the trials, and the table.
Exit codes: 0 all passed, 1 a trial failed, 2 something is missing here.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import trials_faults
import trials_runs
import trials_shared
from growth import growth
from machines import NAMESPACES, make_networks
from sites import Cluster, Single

INSIDE = "WARDROOM_CLUSTER_INSIDE"
PROGRAMS = {
    "glusterd": "glusterfs-server",
    "gluster": "glusterfs-client",
    "mount.glusterfs": "glusterfs-client",
    "haproxy": "haproxy",
    "ip": "iproute2",
    "unshare": "util-linux",
    "mkfs.ext4": "e2fsprogs",
}
TRIALS = [
    ("one question, two servers", trials_runs.one_question),
    ("paused runs, resumed elsewhere", trials_runs.paused_runs),
    ("counters", trials_shared.counters),
    ("reads of what is replaced", trials_shared.reads_of_replaced),
    ("cards", trials_shared.cards),
    ("proposals", trials_shared.proposals),
    ("playbook", trials_shared.playbook),
    ("tasks", trials_shared.tasks),
    ("audit trail", trials_shared.audit_trail),
    ("a server killed", trials_faults.killed_server),
    ("a brick killed and healed", trials_faults.killed_brick),
    ("a brick filled", trials_faults.filled_brick),
    ("a network cut", trials_faults.cut_network),
    ("a lock lost", trials_faults.lost_lock),
    ("afterwards", trials_faults.afterwards),
]
# Those that need little time: what two machines do at once, and what is lost.
QUICK = ("one question, two servers", "counters", "a server killed", "a lock lost", "afterwards")


def missing():
    """What this machine lacks, in one line, or None."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.geteuid() != 0:
        return "the trials need root, for mounts and networks: sudo make cluster"
    packages = sorted({package for name, package in PROGRAMS.items() if shutil.which(name) is None})
    if packages:
        return f"install {', '.join(packages)} (Debian): make setup-cluster"
    for device, module in (("/dev/fuse", "fuse"), ("/dev/loop-control", "loop")):
        if not os.path.exists(device):
            return f"{device} is missing: modprobe {module}, or give the container this device"
    probe = "mount -t tmpfs x /run && ip link add x type bridge && ip link add y type veth peer name z"
    if subprocess.run(["unshare", *NAMESPACES, "sh", "-c", probe], capture_output=True, check=False).returncode:
        return "the kernel refuses namespaces, mounts or bridges: run on a machine, or in a privileged container"
    return None


def enclose(work):
    """Runs this program again in namespaces of its own, whose end ends everything, and removes what is large then."""
    inside = subprocess.Popen(
        ["unshare", *NAMESPACES, sys.executable, *sys.argv], env={**os.environ, INSIDE: "1"}
    )
    # What is inside ends with it; unshare itself ignores SIGTERM.
    signal.signal(signal.SIGTERM, lambda *_: inside.kill())
    while True:
        try:
            status = inside.wait()
            break
        except KeyboardInterrupt:
            # The other process got the signal as well, and ends by itself.
            pass
    for image in work.glob("*.img"):
        image.unlink()
    return status if status >= 0 else 1


def attempt(trial, site):
    """Runs a trial. Returns what it counted, its seconds, and what went wrong."""
    begun = time.monotonic()
    try:
        counted, error = trial(site), None
    except Exception as failure:  # pylint: disable=broad-except
        counted, error = None, f"{type(failure).__name__}: {failure}"
        with open(site.work / "failures.log", "a", encoding="utf-8") as log:
            log.write(f"{trial.__name__}\n{traceback.format_exc()}\n")
    return counted, time.monotonic() - begun, error


def trials(cluster, single, is_chosen):
    rows, failed = [], 0
    for name, trial in TRIALS:
        if not is_chosen(name):
            continue
        counted, seconds, error = attempt(trial, cluster)
        # The figure beside it is no trial of its own, but must be right as well.
        _, beside, wrong = attempt(trial, single)
        if wrong and not error:
            error = f"on one machine: {wrong}"
        failed += error is not None
        verdict = "FAILED" if error else "ok    "
        print(f"{verdict} {name}: {error or counted}; {seconds:.1f} s, one machine {beside:.1f} s", flush=True)
        rows.append((name, f"failed: {error}" if error else counted, f"{seconds:.1f} s", f"{beside:.1f} s"))
    print(f"{len(rows) - failed} of {len(rows)} trials passed")
    return rows, failed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("wardroom", type=Path, nargs="?")
    arguments.add_argument("work", type=Path, nargs="?")
    arguments.add_argument("--check", action="store_true", help="say only what is missing here")
    arguments.add_argument("--only", help="the trials whose name has this part")
    arguments.add_argument("--quick", action="store_true", help="only some trials, which need little time")
    arguments.add_argument("--growth", action="store_true", help="only what more servers give")
    options = arguments.parse_args()
    if INSIDE not in os.environ and (lack := missing()):
        print(lack, file=sys.stderr)
        return 2
    if options.check:
        return 0
    if not options.work:
        arguments.error("WARDROOM and WORK are needed")
    binary, work = options.wardroom.resolve(), options.work.resolve()
    if INSIDE not in os.environ:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        return enclose(work)
    begun = time.monotonic()
    make_networks()
    single = Single(binary, work)
    cluster = Cluster(binary, work, single)
    started = f"{time.monotonic() - begun:.1f} s, of which the check of the file system {cluster.checked:.1f} s"
    print(f"3 bricks, 3 servers, HAProxy: {started}", flush=True)

    def is_chosen(name):
        return (not options.only or options.only in name) and (not options.quick or name in QUICK)

    rows, failed = ([], 0) if options.growth else trials(cluster, single, is_chosen)
    lines = ["| trial | counted | cluster | one machine |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    if not options.only and not options.quick:
        lines += ["", *growth(cluster, single)]
    (work / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
