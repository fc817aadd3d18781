"""Packs a release: `python3 dist/archive.py BINARY TARGET OUT`, which `make dist` does.

OUT gets wardroom-VERSION-TARGET.tar.gz, the same program as a bundle (.mcpb), server.json for registries of servers, and
SHA256SUMS. The last two are over every archive and bundle of this version in OUT. So a release of several machines is put together
by copying what each one packed into one folder: `python3 dist/archive.py OUT` then writes those two, and packs nothing.

The same binary and the same tree give the same bytes: everything is sorted, belongs to nobody, and is of one time
(SOURCE_DATE_EPOCH, else 1980, where a zip begins).
"""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

# Leaves nothing beside it.
sys.dont_write_bytecode = True
import sbom

ROOT = Path(__file__).resolve().parent.parent
# What the pages link to, and the sources that the corpus names.
SOURCES = [
    "docs/pictures", "wit", *(f"tests/hosts/{folder}" for folder in ["cli", "corpus", "node", "python", "rust"]),
    "host/assets/demo/packages",
]
# 1980, and the end of 2107: what a zip can say.
FIRST, LAST = 315532800, 4354819199
SHELLS = {
    "bash": "wardroom.bash", "zsh": "_wardroom", "fish": "wardroom.fish", "powershell": "_wardroom.ps1",
    "elvish": "wardroom.elv",
}
PLATFORMS = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
LICENCE = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
# What the binary holds beside packages: the standard library, and what its part for WebAssembly holds. No toolchain comes with the
# licence of the latter, so that it is kept here: from the LICENSE of wasi-libc, and /usr/share/doc/wasi-libc/copyright in Debian.
SYSROOT = "the Rust standard library"
SYSROOT_NOTICES = "LICENSES-OF-THE-RUST-STANDARD-LIBRARY.html"
LIBC, LIBC_LICENCE = "wasi-libc, in the guest", ROOT / "dist/wasi-libc.txt"
# Its exception asks for no text of the licence beside a program.
UNWINDER = "the unwinder of GCC"


def main(binary, target, out):
    binary, out, time_packed = Path(binary).resolve(), Path(out).resolve(), seconds(os.environ.get("SOURCE_DATE_EPOCH"))
    metadata = cargo_metadata()
    own = own_package(metadata)
    version = own["version"]
    name = f"wardroom-{version}-{target}"
    program = binary.read_bytes()
    said = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if said != f"wardroom {version}":
        fail(f"{binary} is {said!r}, not {version}", "build it of this tree: make build")
    parts = parts_of(metadata, target)
    licences = licences_of(metadata, parts, version, target).encode()
    packages = [(known_package(metadata, key), inside) for key, inside in sorted(parts.items())]
    bill = sbom.bill(own, packages, metadata["resolve"], target, time_packed).encode()

    files = {"wardroom": program, "LICENSES-OF-OTHERS.txt": licences, SYSROOT_NOTICES: sysroot_notices().read_bytes()}
    files["wardroom.cdx.json"] = bill
    for document in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE", "tests/hosts/digest.txt"]:
        files[document] = (ROOT / document).read_bytes()
    for page in sorted((ROOT / "docs").glob("*.md")):
        files[f"docs/{page.name}"] = page.read_bytes()
    files |= {file: (ROOT / file).read_bytes() for file in sources()}
    for shell, file in SHELLS.items():
        run = subprocess.run([binary, "completions", shell], check=True, capture_output=True)
        files[f"completions/{file}"] = run.stdout
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "man-pages", folder], check=True)
        files |= {f"man/man1/{page.name}": page.read_bytes() for page in Path(folder).iterdir()}

    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.tar.gz").write_bytes(tar(name, files, time_packed))
    (out / f"{name}.mcpb").write_bytes(mcpb(own, target, files, time_packed))
    join(own, out)


def sources():
    below = (path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in below}


def join(own, out):
    """What is over all targets: the description for registries, and the sums."""
    packed = sorted(path for ending in ["tar.gz", "mcpb"] for path in out.glob(f"wardroom-{own['version']}-*.{ending}"))
    described = registered(own, [path for path in packed if path.suffix == ".mcpb"])
    (out / "server.json").write_text(json.dumps(described, indent=2) + "\n")
    written = sorted([*packed, out / "server.json"])
    (out / "SHA256SUMS").write_text("".join(f"{digest(path)}  {path.name}\n" for path in written))
    for path in [*written, out / "SHA256SUMS"]:
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def seconds(epoch):
    """The time of all that is packed."""
    try:
        moment = max(int(epoch or FIRST), FIRST)
    except ValueError:
        moment = None
    if moment is None or moment > LAST:
        fail(f"SOURCE_DATE_EPOCH is {epoch!r}", "name the seconds since 1970, before 2108, or unset it")
    return moment


def fail(what, hint):
    sys.exit(f"error: {what}\nhint: {hint}")


def cargo_metadata():
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)


def own_package(metadata):
    return next(package for package in metadata["packages"] if package["name"] == "wardroom")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tar(name, files, time_packed):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mtime = len(content), time_packed
            entry.mode = 0o755 if file == "wardroom" else 0o644
            archive.addfile(entry, io.BytesIO(content))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


def mcpb(own, target, files, time_packed):
    """One file that clients install by themselves: a zip with a description of what to start."""
    platform = next(known for part, known in PLATFORMS.items() if part in target)
    program = "server/wardroom.exe" if platform == "win32" else "server/wardroom"
    manifest = {
        "manifest_version": "0.3",
        "name": "wardroom",
        "version": own["version"],
        "description": own["description"],
        "author": {"name": "The wardroom authors"},
        "repository": {"type": "git", "url": own["repository"]},
        "license": own["license"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {"command": "${__dirname}/" + program, "args": []},
        },
        "compatibility": {"platforms": [platform]},
    }
    contents = {
        "manifest.json": json.dumps(manifest, indent=2).encode(),
        program: files["wardroom"],
        **{name: files[name] for name in ["LICENSE-MIT", "LICENSE-APACHE", "LICENSES-OF-OTHERS.txt", SYSROOT_NOTICES]},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, time.gmtime(time_packed)[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name == program else 0o644) << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def registered(own, bundles):
    """server.json with the packages of this release; the rest stands in the repository."""
    described = json.loads((ROOT / "server.json").read_text())
    if described["version"] != own["version"]:
        fail("server.json is of another version", "UPDATE_DOCS=1 cargo test --release --locked -p wardroom-test-tidy")
    described["packages"] = [{
        "registryType": "mcpb",
        "identifier": f"{own['repository']}/releases/download/v{own['version']}/{bundle.name}",
        "version": own["version"],
        "fileSha256": digest(bundle),
        "transport": {"type": "stdio"},
    } for bundle in bundles]
    return described


def inside(root, target):
    """Name and version of the packages whose code is in what is built of `root`: no build scripts, tests, or macros."""
    command = ["cargo", "tree", "--locked", f"--package={root}", f"--target={target}", "--prefix=none", "--format={p}"]
    listed = subprocess.run([*command, "--edges=normal,no-proc-macro"], check=True, capture_output=True, text=True, cwd=ROOT)
    words = [line.split() for line in listed.stdout.splitlines() if line]
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def parts_of(metadata, target):
    """Name and version of each package whose code the program holds, and where: in the server itself, or in a guest."""
    roots = [("wardroom", target, sbom.SERVER), *((guest, "wasm32-wasip2", part) for guest, part in sbom.GUESTS.items())]
    parts = {}
    for root, built_for, part in roots:
        for key in inside(root, built_for):
            parts.setdefault(key, set()).add(part)
    # Lua itself, whose sources lie here with changes; only a build script names them.
    lua = next(package for package in metadata["packages"] if package["name"] == sbom.LUA)
    parts.setdefault((lua["name"], lua["version"]), set()).add(sbom.SERVER)
    return parts


def known_package(metadata, key):
    """The package that is linked: beside a copy in the tree, the published one is there for tests alone."""
    found = [package for package in metadata["packages"] if (package["name"], package["version"]) == key]
    return min(found, key=lambda package: package["source"] is not None)


def licences_of(metadata, parts, version, target):
    known = {key: known_package(metadata, key) for key in sorted(parts)}
    others = {key: package for key, package in known.items() if not is_ours(package)}
    texts, without = {}, []
    for key, package in sorted(others.items()):
        found = licence_files(package)
        for text in found:
            texts.setdefault(text, []).append("{} {}".format(*key))
        if not found:
            without.append(package)
    for path in sysroot_licences():
        texts.setdefault(kept(path).read_text().strip(), []).append(SYSROOT)
    texts.setdefault(kept(LIBC_LICENCE).read_text().strip(), []).append(LIBC)
    rows = "".join(
        f"{package['name']} {package['version']}: {package['license']} ({package['repository'] or 'no address'})\n"
        for _, package in sorted(others.items())
    )
    lacking = "".join(
        f"{package['name']} {package['version']}, by {', '.join(package['authors']) or 'its authors'}: {package['license']}\n"
        for package in without
    )
    parts = [
        f"wardroom {version} holds what others wrote, under these licences:\n\n{rows}{SYSROOT}: MIT OR Apache-2.0, "
        f"and what {SYSROOT_NOTICES} says (https://github.com/rust-lang/rust)\n"
        f"{LIBC}: MIT and others (https://github.com/WebAssembly/wasi-libc)\n"
        + (f"{UNWINDER}: {sbom.UNWINDER_LICENCE} (https://gcc.gnu.org/)\n" if sbom.has_unwinder(target) else ""),
    ]
    if lacking:
        parts.append(
            "These come without a file of their licence; the texts of what is named are among those of the others:\n\n"
            f"{lacking}"
        )
    order = sorted(texts.items(), key=lambda row: (sorted(row[1])[0], hashlib.sha256(row[0].encode()).hexdigest()))
    parts += [f"{', '.join(dict.fromkeys(sorted(names)))}:\n\n{text}\n" for text, names in order]
    return ("\n" + "=" * 100 + "\n\n").join(parts)


def is_ours(package):
    return package["source"] is None and "vendor" not in package["manifest_path"]


def licence_files(package):
    folder = Path(package["manifest_path"]).parent
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and LICENCE.match(path.name))
    if package["license_file"]:
        names.append(package["license_file"])
    texts = [(folder / name).read_text(errors="replace").replace("\r\n", "\n").strip() for name in dict.fromkeys(names)]
    # Some have a folder of them.
    folders = [path for path in folder.iterdir() if path.is_dir() and path.name.lower() in ("licenses", "license")]
    for below in sorted(folders):
        texts += [path.read_text(errors="replace").strip() for path in sorted(below.iterdir()) if path.is_file()]
    return [text for text in dict.fromkeys(texts) if text]


def sysroot():
    """Where the documentation of the toolchain is."""
    root = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    return Path(root) / "share/doc/rust"


def sysroot_notices():
    """What the toolchain itself says of the standard library: whose parts are in it, under which licences."""
    return kept(sysroot() / "COPYRIGHT-library.html")


def sysroot_licences():
    """Those that the notices call by name alone; Unicode's is that of tables."""
    return [sysroot() / "licenses" / name for name in ["MIT.txt", "Apache-2.0.txt", "Unicode-3.0.txt"]]


def kept(path):
    """A release without the licences of what is in it is none."""
    if not path.is_file():
        fail(f"a licence of what the binary holds is missing: {path}", "pack with a toolchain of rustup, from a whole tree")
    return path


if __name__ == "__main__":
    if len(sys.argv) == 2:
        join(own_package(cargo_metadata()), Path(sys.argv[1]).resolve())
    elif len(sys.argv) == 4:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
