"""Looks at a release as those who get it would: `python3 dist/check.py OUT`, which `make packages` does.

OUT is what dist/archive.py wrote. Every file that is packed is named here, so that none comes along or goes missing unseen.
"""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCES = {"LICENSE-MIT", "LICENSE-APACHE", "LICENSES-OF-OTHERS.txt", "LICENSES-OF-THE-RUST-STANDARD-LIBRARY.html"}
COMPLETIONS = {"wardroom.bash", "_wardroom", "wardroom.fish", "_wardroom.ps1", "wardroom.elv"}
# Packages whose notice is not among those of the dependencies that Cargo lists, and where it is.
NOTICES = {"LICENSES-OF-OTHERS.txt": ["wasi-libc", "Rich Felker", "UNICODE LICENSE V3"],
           "LICENSES-OF-THE-RUST-STANDARD-LIBRARY.html": ["hashbrown", "rustc-demangle"]}

# What the registry's schema of 2025-12-11 asks of the fields that are written here: whether they must be there, and what
# they match. Of the schema itself nothing is kept; fields that are not listed are refused.
SERVER = {
    "$schema": (True, r"https://static\.modelcontextprotocol\.io/schemas/2025-12-11/server\.schema\.json"),
    "name": (True, r"(?=.{3,200}$)[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+"),
    "title": (False, r".{1,100}"),
    "description": (True, r".{1,100}"),
    "version": (True, r"(?=.{1,255}$)\d+\.\d+\.\d+(-[\w.]+)?"),
}
REPOSITORY = {"url": (True, r"https://\S+"), "source": (True, r"\w+")}
PACKAGE = {
    "registryType": (True, r"mcpb"),
    "identifier": (True, r"https://\S+\.mcpb"),
    "version": (True, SERVER["version"][1]),
    # The schema leaves it out; registries take no bundle without it.
    "fileSha256": (True, r"[a-f0-9]{64}"),
}
TRANSPORT = {"type": (True, r"stdio")}


def main(out):
    out = Path(out)
    [archive], [bundle] = out.glob("*.tar.gz"), out.glob("*.mcpb")
    packed = {path.name for path in out.iterdir() if path.is_file()}
    same("the release", packed, {archive.name, bundle.name, "server.json", "SHA256SUMS"})

    name = archive.name.removesuffix(".tar.gz")
    with tarfile.open(archive) as tar:
        files = {member.name.removeprefix(f"{name}/"): tar.extractfile(member).read() for member in tar.getmembers()}
        modes = {member.name.removeprefix(f"{name}/"): member.mode for member in tar.getmembers()}
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    completions = {f"completions/{file}" for file in COMPLETIONS}
    same(archive.name, set(files), {"wardroom", "README.md", "CHANGELOG.md"} | LICENCES | pages | completions)
    for file, content in files.items():
        hold(content, f"{file} is empty")
        hold(modes[file] == (0o755 if file == "wardroom" else 0o644), f"{file} has the mode {modes[file]:o}")
    stripped(files["wardroom"])
    for file, words in NOTICES.items():
        for word in words:
            hold(word in files[file].decode(), f"{file} does not name {word}")

    with zipfile.ZipFile(bundle) as zipped:
        manifest = json.loads(zipped.read("manifest.json"))
        program = manifest["server"]["entry_point"]
        same(bundle.name, set(zipped.namelist()), {"manifest.json", program} | LICENCES)
        hold(zipped.read(program) == files["wardroom"], "the bundle holds another program")

    described = json.loads((out / "server.json").read_text())
    fields("server.json", described, SERVER, {"repository", "packages"})
    fields("server.json: repository", described["repository"], REPOSITORY)
    [package] = described["packages"]
    fields("server.json: package", package, PACKAGE, {"transport"})
    fields("server.json: transport", package["transport"], TRANSPORT)
    hold(package["fileSha256"] == hashlib.sha256(bundle.read_bytes()).hexdigest(), "server.json names another bundle")
    hold(package["identifier"].endswith(f"/{bundle.name}"), f"server.json does not name {bundle.name}")
    hold(described["version"] == package["version"] == manifest["version"], "the versions differ")
    print(f"{name}: {len(files)} files, as listed; stripped; server.json has what registries ask for")


def stripped(program):
    with tempfile.NamedTemporaryFile() as file:
        file.write(program)
        file.flush()
        symbols = subprocess.run(["nm", file.name], check=True, capture_output=True, text=True).stdout
    hold(not symbols, f"the program has {symbols.count(chr(10))} symbols")


def fields(what, found, expected, others=frozenset()):
    hold(set(found) <= set(expected) | others, f"{what}: {sorted(set(found) - set(expected) - others)} is not known")
    for name in others - set(found):
        hold(False, f"{what} has no {name}")
    for name, (required, pattern) in expected.items():
        hold(name in found or not required, f"{what} has no {name}")
        hold(name not in found or re.fullmatch(pattern, found[name]), f"{what}: {name} is {found.get(name)!r}")


def same(what, found, expected):
    hold(found == expected, f"{what} lacks {sorted(expected - found)} and has {sorted(found - expected)} besides")


def hold(good, otherwise):
    if not good:
        sys.exit(f"error: {otherwise}\nhint: dist/archive.py packs, and dist/check.py lists what")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
