"""Known weaknesses of the dependencies: `python3 dist/advisories.py check`, which `make advisories` does.

Looks up every package of every Cargo.lock in dist/advisory-db.tar.xz, a copy of https://github.com/rustsec/advisory-db (public
domain, and CC-BY 4.0 where an advisory says so; the texts of both are in it). A copy that is older than MAX_AGE_DAYS is an error,
because it finds nothing new: `python3 dist/advisories.py fetch [REPOSITORY]` renews it, from a clone or over the network.
"""

import lzma
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "dist/advisory-db.tar.xz"
DATABASE = "https://github.com/rustsec/advisory-db"
MAX_AGE_DAYS = 180
LOCKS = ["Cargo.lock", "fuzz/Cargo.lock", "guest/core/Cargo.lock", "tests/hosts/rust/Cargo.lock"]
# Advisories that are accepted, and why.
ACCEPTED = {
    "RUSTSEC-2024-0436": "`paste` has no maintainer. It is a macro of a few hundred lines that runs at build time.",
}


def check():
    advisories, made, commit = database()
    age = int((time.time() - made) / 86400)
    accepted, packages = set(), 0
    found = []
    for lock in LOCKS:
        locked = tomllib.loads((ROOT / lock).read_text())["package"]
        for package in (package for package in locked if "source" in package):
            packages += 1
            for advisory in advisories.get(package["name"], []):
                if not affects(advisory, package["version"]):
                    continue
                if advisory["advisory"]["id"] in ACCEPTED:
                    accepted.add(advisory["advisory"]["id"])
                else:
                    found.append(f"{lock}: {package['name']} {package['version']}: {advisory['advisory']['id']}, {advisory['title']}")
    if found:
        fail("\n".join(found), "take a version that the advisory names, or accept it with a reason in dist/advisories.py")
    if stale := sorted(set(ACCEPTED) - accepted):
        fail(f"{', '.join(stale)} is accepted and affects nothing", "remove it from ACCEPTED in dist/advisories.py")
    if age > MAX_AGE_DAYS:
        fail(f"the copy of the advisory database is {age} days old, the limit is {MAX_AGE_DAYS}", "run make advisories-fetch")
    number = sum(map(len, advisories.values()))
    print(f"{packages} locked packages, {number} advisories of {time.strftime('%Y-%m-%d', time.gmtime(made))} ({commit[:10]}): "
          f"none affects them but {len(accepted)} accepted ones")


def database():
    """The advisories by package, the time of the copy in seconds, and the commit that it is of."""
    advisories = {}
    with tarfile.open(COPY, "r:xz") as tar:
        members = [member for member in tar if member.isfile() and re.fullmatch(r"crates/[^/]+/RUSTSEC-.+\.md", member.name)]
        for member in members:
            text = tar.extractfile(member).read().decode()
            head, body = re.fullmatch(r"```toml\n(.*?)```\n(.*)", text, re.DOTALL).groups()
            advisory = tomllib.loads(head) | {"title": re.search(r"(?m)^# (.+)$", body)[1]}
            advisories.setdefault(advisory["advisory"]["package"], []).append(advisory)
        commit = tar.pax_headers["comment"]
    if len(members) < 1000:
        fail(f"{COPY.name} has {len(members)} advisories", "run make advisories-fetch")
    # git gives every file of an archive the time of the commit.
    return advisories, members[0].mtime, commit


def affects(advisory, version):
    if "withdrawn" in advisory["advisory"]:
        return False
    free = advisory["versions"].get("patched", []) + advisory["versions"].get("unaffected", [])
    return not any(all(fits(bound.strip(), version) for bound in bounds.split(",")) for bounds in free)


def fits(bound, version):
    """Whether a version is within a bound as Cargo writes it."""
    operator, wanted = re.fullmatch(r"(>=|<=|>|<|=|\^|~|)\s*(\S+)", bound).groups()
    if wanted == "*":
        return True
    own, limit = number(version), number(wanted)
    given = len(wanted.split("-")[0].split("."))
    same = {"~": min(given, 2), "^": next((at + 1 for at, part in enumerate(limit[:given]) if part), given)}
    if operator in ("^", ""):
        return own >= limit and own[: same["^"]] == limit[: same["^"]]
    if operator == "~":
        return own >= limit and own[: same["~"]] == limit[: same["~"]]
    if operator == "=":
        return own[:given] == limit[:given] and ("-" not in wanted or own == limit)
    return {">=": own >= limit, ">": own > limit, "<": own < limit, "<=": own <= limit}[operator]


def number(version):
    """A version in its order: a release comes after what was tried before it."""
    plain, _, before = version.split("+")[0].partition("-")
    numbers = [int(part) for part in plain.split(".")]
    tried = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in before.split(".") if before)
    return (*numbers, *[0] * (3 - len(numbers)), not before, tried)


def fetch(repository):
    with tempfile.TemporaryDirectory() as folder:
        if repository == DATABASE:
            subprocess.run(["git", "clone", "--quiet", "--depth=1", repository, folder], check=True)
            repository = folder
        archive = ["git", "-C", repository, "archive", "--format=tar", "HEAD", "crates", "LICENSE.txt", "LICENSES"]
        packed = lzma.compress(subprocess.run(archive, check=True, capture_output=True).stdout, preset=9)
    COPY.write_bytes(packed)
    _, made, commit = database()
    print(f"{COPY.name}: {commit} of {time.strftime('%Y-%m-%d', time.gmtime(made))}, {len(packed)} bytes")


def tested():
    """What the bounds mean, before they are relied on."""
    rows = [
        (">= 1.2.3", "1.2.3", True), (">= 1.2.3", "1.2.3-rc.1", False), ("> 1.2.3", "1.2.3", False), ("< 2", "1.99.0", True),
        ("^0.3.4", "0.3.9", True), ("^0.3.4", "0.4.0", False), ("^1.2", "1.9.0", True), ("^1.2", "2.0.0", False), ("^0.0.3", "0.0.4", False),
        ("1.2", "1.3.0", True), ("~1.2.3", "1.2.9", True), ("~1.2.3", "1.3.0", False), ("= 1.2", "1.2.7", True), ("=1.2.3", "1.2.4", False),
        ("*", "0.0.1", True), ("<= 1.0.0", "1.0.0+build", True), (">= 1.0.0-alpha.2", "1.0.0-alpha.10", True),
    ]
    for bound, version, expected in rows:
        if fits(bound, version) != expected:
            fail(f"{version} is {'not ' * expected}within {bound}", "dist/advisories.py reads bounds wrongly")


def fail(what, hint):
    sys.exit(f"error: {what}\nhint: {hint}")


if __name__ == "__main__":
    tested()
    if sys.argv[1:] == ["check"]:
        check()
    elif sys.argv[1:2] == ["fetch"] and len(sys.argv) < 4:
        fetch(sys.argv[2] if len(sys.argv) == 3 else DATABASE)
    else:
        sys.exit(__doc__)
