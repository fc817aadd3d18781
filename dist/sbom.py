"""The bill of materials of a release, in CycloneDX 1.6: every package that is in the program or in a guest, and what is no package.

dist/archive.py packs what `bill` returns as `wardroom.cdx.json`, and dist/check.py holds it against the licences. The same tree
and the same toolchain give the same bytes: the serial number is made of the content, and the time is that of the archive.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import time
import uuid
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
# Where the code of a package is: the roots of the two guests, and of the server.
GUESTS = {"wardroom-guest": "guest of packages", "wardroom-documents-guest": "guest of documents"}
SERVER = "server"
# The package with the sources of Lua. Build scripts alone name it, and link what they make of it.
LUA = "lua-src"
# The exception lets programs that are linked with it have any licence.
UNWINDER_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"


def bill(own, packages, graph, target, time_packed):
    """`packages` has each package that is built, with the parts that it is in; `graph` is what `cargo metadata` resolved."""
    hashes = checksums((ROOT / "Cargo.lock").read_text())
    built = {package["id"]: package for package, _ in packages}
    components = [crate(package, parts, hashes) for package, parts in packages if package["id"] != own["id"]]
    c_code, others = lua(), [standard_library(), wasi_libc(), *([unwinder()] if has_unwinder(target) else [])]
    components += [c_code, *others]
    edges = {reference(package): dependencies(node, built) for node in graph["nodes"] if (package := built.get(node["id"]))}
    # What no package names.
    edges[reference(own)] = sorted([*edges[reference(own)], *(other["bom-ref"] for other in others)])
    edges[reference(next(package for package, _ in packages if package["name"] == LUA))] = [c_code["bom-ref"]]
    described = {
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_packed)),
            "component": {
                "type": "application",
                "bom-ref": reference(own),
                "name": own["name"],
                "version": own["version"],
                "description": own["description"],
                "licenses": licences(own),
                "externalReferences": [{"type": "vcs", "url": own["repository"]}],
                "properties": [{"name": "wardroom:target", "value": target}],
            },
        },
        "components": sorted(components, key=lambda component: component["bom-ref"]),
        "dependencies": [{"ref": ref, "dependsOn": edges.get(ref, [])} for ref in sorted(
            {reference(own), *(component["bom-ref"] for component in components)})],
    }
    content = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).digest()
    head = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.UUID(bytes=content[:16], version=5)}",
        "version": 1,
    }
    return json.dumps(head | described, indent=2) + "\n"


def checksums(lock):
    """The SHA-256 of each package of a registry, by name and version."""
    rows = re.findall(r'\[\[package\]\]\nname = "(.+)"\nversion = "(.+)"\nsource = "registry.+"\nchecksum = "([0-9a-f]{64})"', lock)
    return {(name, version): checksum for name, version, checksum in rows}


def reference(package):
    return f"cargo:{package['name']}@{package['version']}"


def dependencies(node, built):
    """What a package links, of what is built; neither its build scripts nor its tests."""
    linked = [built[dep["pkg"]] for dep in node["deps"] if dep["pkg"] in built and (
        built[dep["pkg"]]["name"] == LUA or any(kind["kind"] is None for kind in dep["dep_kinds"]))]
    return sorted(reference(package) for package in linked)


def licences(package):
    if not package["license"]:
        return [{"license": {"name": "see LICENSES-OF-OTHERS.txt"}}]
    # The older form of OR.
    return [{"expression": package["license"].replace("/", " OR ")}]


def crate(package, parts, hashes):
    name, version = package["name"], package["version"]
    described = {
        "type": "library",
        "bom-ref": reference(package),
        "name": name,
        "version": version,
        "scope": "required",
        "licenses": licences(package),
        "properties": [{"name": "wardroom:part", "value": part} for part in sorted(parts)],
    }
    if package["repository"]:
        described["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    if package["source"]:
        described["purl"] = f"pkg:cargo/{name}@{quote(version)}"
        described["hashes"] = [{"alg": "SHA-256", "content": hashes[name, version]}]
    elif "vendor" in package["manifest_path"]:
        described["purl"] = f"pkg:cargo/{name}@{quote(version)}"
        folder = Path(package["manifest_path"]).parent.relative_to(ROOT).as_posix()
        described["pedigree"] = {"notes": f"changed, as {folder}/PATCHES.md lists"}
    return described


def lua():
    """Lua itself, whose C lies in a package of another name and version."""
    header = next(ROOT.glob("host/vendor/lua-src/lua-*/lua.h")).read_text()
    number = dict(re.findall(r'#define LUA_VERSION_(MAJOR|MINOR|RELEASE)\s+"(\d+)"', header))
    version = "{MAJOR}.{MINOR}.{RELEASE}".format(**number)
    return {
        "type": "library", "bom-ref": f"generic:lua@{version}", "name": "lua", "version": version, "scope": "required",
        "licenses": [{"expression": "MIT"}], "purl": f"pkg:generic/lua@{version}",
        "pedigree": {"notes": "changed, as host/vendor/lua-src/PATCHES.md lists"},
        "externalReferences": [{"type": "website", "url": "https://www.lua.org/"}],
        "properties": [{"name": "wardroom:part", "value": SERVER}],
    }


def standard_library():
    """Its version is that of the compiler; the packages in it are in the notices of the toolchain."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    version = re.search(r"(?m)^release: (.+)$", said)[1]
    return {
        "type": "library", "bom-ref": f"generic:rust-std@{version}", "name": "rust-std", "version": version, "scope": "required",
        "description": "the Rust standard library; LICENSES-OF-THE-RUST-STANDARD-LIBRARY.html names what is in it",
        "licenses": [{"expression": "MIT OR Apache-2.0"}], "purl": f"pkg:generic/rust-std@{quote(version)}",
        "externalReferences": [{"type": "vcs", "url": "https://github.com/rust-lang/rust"}],
        "properties": [{"name": "wardroom:part", "value": part} for part in sorted([SERVER, *GUESTS.values()])],
    }


def has_unwinder(target):
    """Whether the program holds the unwinder of GCC: host/build.rs links it."""
    return target.endswith("-linux-gnu")


def unwinder():
    """Its version is that of the compiler of C."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    version = subprocess.run([*compiler, "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()
    return {
        "type": "library", "bom-ref": f"generic:libgcc@{version}", "name": "libgcc", "version": version, "scope": "required",
        "description": "what unwinds a panic, as the compiler of C brings it along (libgcc_eh)",
        "licenses": [{"expression": UNWINDER_LICENCE}], "purl": f"pkg:generic/libgcc@{quote(version)}",
        "externalReferences": [{"type": "website", "url": "https://gcc.gnu.org/"}],
        "properties": [{"name": "wardroom:part", "value": SERVER}],
    }


def wasi_libc():
    """Part of the standard library for WebAssembly. No toolchain says of which version."""
    return {
        "type": "library", "bom-ref": "generic:wasi-libc", "name": "wasi-libc", "scope": "required",
        "description": "the C library of the guests, as the toolchain brings it along",
        "licenses": [{"license": {"name": "see wasi-libc in LICENSES-OF-OTHERS.txt"}}], "purl": "pkg:generic/wasi-libc",
        "externalReferences": [{"type": "vcs", "url": "https://github.com/WebAssembly/wasi-libc"}],
        "properties": [{"name": "wardroom:part", "value": part} for part in sorted(GUESTS.values())],
    }
