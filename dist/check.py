"""Looks at a release as those who get it would: `python3 dist/check.py OUT`, which `make packages` does.

OUT is what dist/archive.py wrote, of one target or of several. Every file that is packed is named here, so that none comes along or goes missing unseen.
`python3 dist/check.py` looks only at the files that come from the tree, which takes no build: `make lint` does.
"""

import hashlib
import json
import posixpath
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

# Leaves nothing beside it.
sys.dont_write_bytecode = True
import archive as packer

ROOT = Path(__file__).resolve().parent.parent
LICENCES = {"LICENSE-MIT", "LICENSE-APACHE", "LICENSES-OF-OTHERS.txt", "LICENSES-OF-THE-RUST-STANDARD-LIBRARY.html"}
COMPLETIONS = {"wardroom.bash", "_wardroom", "wardroom.fish", "_wardroom.ps1", "wardroom.elv"}
# What the pages link to.
SOURCES = {
    *(f"docs/pictures/{file}" for file in ["peers.svg", "review-list.png", "review-post.png", "review-window.png", "run.png"]),
    *(f"{folder}/{file}" for folder in ["wit", "tests/hosts/rust/wit-0.1.0"]
      for file in ["deps/cli/run.wit", "package-meta.wit", "resource-id.wit", "world.wit"]),
    *(f"{folder}/{file}" for folder in ["wit/documents", "tests/hosts/rust/wit-documents-0.1.0"]
      for file in ["document.wit", "image.wit", "script-check.wit", "template-check.wit", "world.wit"]),
    *(f"tests/hosts/cli/{file}" for file in ["command.mjs", "documents.mjs", "example.sh", "example.txt", "host.mjs", "wave.mjs"]),
    *(f"tests/hosts/corpus/{file}" for file in ["corpus.json", "documents.json", "every_form.lua", "latin1.bin"]),
    *(f"tests/hosts/node/{file}" for file in ["documents.mjs", "host.mjs", "package-lock.json", "package.json"]),
    *(f"tests/hosts/python/{file}" for file in ["command.py", "documents.py", "host.py", "requirements.txt"]),
    *(f"tests/hosts/rust/{file}" for file in ["Cargo.lock", "Cargo.toml", "examples/corpus.rs", "examples/documents.rs", "src/main.rs"]),
    *(f"host/assets/demo/packages/{package}/init.lua" for package in ["cot", "panel", "quick_vote"]),
    "tests/hosts/digest.txt",
}
# Packages whose notice is not among those of the dependencies that Cargo lists, and where it is.
NOTICES = {"LICENSES-OF-OTHERS.txt": ["wasi-libc", "Rich Felker", "UNICODE LICENSE V3", "zune-jpeg", "pulldown-cmark"],
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
    names = sorted(archive.name.removesuffix(".tar.gz") for archive in out.glob("*.tar.gz"))
    hold(names, f"there is no archive in {out}")
    # A release is looked at before it is signed, or after.
    released = {path.name for path in out.iterdir() if path.is_file()} - {"SHA256SUMS.minisig"}
    same("the release", released, {f"{name}.{ending}" for name in names for ending in ["tar.gz", "mcpb"]} | {"server.json", "SHA256SUMS"})
    sums = dict(reversed(line.split()) for line in (out / "SHA256SUMS").read_text().splitlines())
    same("SHA256SUMS", set(sums), released - {"SHA256SUMS"})
    for name in sorted(sums):
        hold(sums[name] == digest(out / name), f"SHA256SUMS has another sum of {name}")

    described = json.loads((out / "server.json").read_text())
    fields("server.json", described, SERVER, {"repository", "packages"})
    fields("server.json: repository", described["repository"], REPOSITORY)
    packages = {package["identifier"].split("/")[-1]: package for package in described["packages"]}
    same("server.json", set(packages), {f"{name}.mcpb" for name in names})
    hold(len(packages) == len(described["packages"]), "server.json names a bundle twice")
    for name in names:
        look(out, name, described, packages[f"{name}.mcpb"])
    packs_at_any_time()
    print("server.json has what registries ask for")


def from_the_tree():
    """What is packed as whole folders."""
    same("what is packed of the tree", packer.sources(), SOURCES - {"tests/hosts/digest.txt"})


def look(out, name, described, package):
    """An archive, the bundle of the same program, and what server.json says of that."""
    with tarfile.open(out / f"{name}.tar.gz") as tar:
        files = {member.name.removeprefix(f"{name}/"): tar.extractfile(member).read() for member in tar.getmembers()}
        modes = {member.name.removeprefix(f"{name}/"): member.mode for member in tar.getmembers()}
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    completions = {f"completions/{file}" for file in COMPLETIONS}
    # A manual page for each command that the documentation has.
    commands = re.findall(r"(?m)^## `(wardroom[a-z -]*)`$", (ROOT / "docs/CLI.md").read_text())
    manuals = {f"man/man1/{command.replace(' ', '-')}.1" for command in commands}
    same(name, set(files), {"wardroom", "wardroom.cdx.json", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} | LICENCES | pages | completions | manuals | SOURCES)
    for file, content in files.items():
        hold(content, f"{file} is empty")
        hold(modes[file] == (0o755 if file == "wardroom" else 0o644), f"{file} has the mode {modes[file]:o}")
    stripped(files["wardroom"])
    if name.endswith("linux-gnu"):
        protected(files["wardroom"])
        needs_little(files["wardroom"])
    for folder in (folder for folder in [ROOT, Path.home()] if len(folder.parts) > 1):
        hold(f"{folder}/".encode() not in files["wardroom"], f"the program names {folder}: dist/paths.sh keeps paths out of it")
    for file, words in NOTICES.items():
        for word in words:
            hold(word in files[file].decode(), f"{file} does not name {word}")
    linked(files)
    billed(files["wardroom.cdx.json"].decode(), files["LICENSES-OF-OTHERS.txt"].decode(), name)

    bundle = out / f"{name}.mcpb"
    with zipfile.ZipFile(bundle) as zipped:
        manifest = json.loads(zipped.read("manifest.json"))
        program = manifest["server"]["entry_point"]
        same(bundle.name, set(zipped.namelist()), {"manifest.json", program} | LICENCES)
        hold(zipped.read(program) == files["wardroom"], "the bundle holds another program")

    fields("server.json: package", package, PACKAGE, {"transport"})
    fields("server.json: transport", package["transport"], TRANSPORT)
    hold(package["fileSha256"] == digest(bundle), f"server.json has another sum of {bundle.name}")
    hold(described["version"] == package["version"] == manifest["version"], "the versions differ")
    print(f"{name}: {len(files)} files, as listed; stripped; every link leads somewhere")


def linked(files):
    """Every relative link of a page leads to a file or a folder of the archive, and to a part that is there."""
    pages = {file: re.sub(r"(?ms)^ *```.*?^ *```", "", content.decode()) for file, content in files.items() if file.endswith(".md")}
    folders = {folder for file in files for folder in parents(file)}
    for file, text in pages.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, part = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
            hold(target in files or target in folders, f"{file} links to {link}, which is not packed")
            hold(not part or part in parts(pages[target]), f"{file} links to {link}, a part that is not there")


def billed(text, licences, name):
    """The bill of materials is one, and names the packages that the licences are of."""
    bill = json.loads(text)
    hold((bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1), "the bill is no CycloneDX 1.6")
    hold(re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"]), "the bill has no serial number")
    subject = bill["metadata"]["component"]
    hold(f"wardroom-{subject['version']}-{subject['properties'][0]['value']}" == name, "the bill is of another archive")
    references = [component["bom-ref"] for component in [subject, *bill["components"]]]
    hold(len(set(references)) == len(references), "the bill has a component twice")
    hold([edge["ref"] for edge in bill["dependencies"]] == sorted(references), "the bill does not say what each component depends on")
    edges = {edge["ref"]: edge["dependsOn"] for edge in bill["dependencies"]}
    reached, waiting = set(), [subject["bom-ref"]]
    while waiting:
        ref = waiting.pop()
        hold(ref in edges, f"the bill does not have {ref}")
        if ref not in reached:
            reached.add(ref)
            waiting += edges[ref]
    # The guests are in the program, and no package of it depends on them.
    outside = {ref for ref in set(references) - reached if not any(
        part["name"] == "wardroom:part" and part["value"].startswith("guest") for part in parts_of(bill, ref))}
    hold(not outside, f"the bill has {sorted(outside)}, on which nothing depends")
    for component in bill["components"]:
        ref = component["bom-ref"]
        licence = component["licenses"][0]
        hold(licence.get("expression") or licence.get("license", {}).get("name"), f"the bill has no licence of {ref}")
        hold(component["properties"], f"the bill does not say where {ref} is")
        if component.get("purl", "").startswith("pkg:cargo/") and "pedigree" not in component:
            digests = [each["content"] for each in component["hashes"] if each["alg"] == "SHA-256"]
            hold(len(digests) == 1 and re.fullmatch(r"[0-9a-f]{64}", digests[0]), f"the bill has no hash of {ref}")
    listed = set(re.findall(r"(?m)^(\S+ \S+): .+ \(", licences.split("=" * 100)[0]))
    crates = {f"{each['name']} {each['version']}" for each in bill["components"] if each.get("purl", "").startswith("pkg:cargo/")}
    same("the bill", crates, listed)
    names = {component["name"] for component in bill["components"]}
    linked_in = {"libgcc"} if name.endswith("linux-gnu") else set()
    hold({"lua", "rust-std", "wasi-libc", "ring", "zune-jpeg"} | linked_in <= names, "the bill lacks what is no package, or what a guest holds")
    by_schema(text)


def parts_of(bill, ref):
    return next(component["properties"] for component in bill["components"] if component["bom-ref"] == ref)


def by_schema(text):
    """The schema itself, where the library of dist/requirements.txt is installed, as `make packages` does."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        print("the bill was not held against the schema: dist/requirements.txt is not installed")
        return
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    hold(problem is None, f"the bill does not fit the schema of CycloneDX: {problem}")
    print("the bill fits the schema of CycloneDX 1.6")


def parents(file):
    return [parent.as_posix() for parent in PurePosixPath(file).parents]


def parts(text):
    """The names of a page's headings, as forges make them, and its own."""
    headings = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"(?m)^#+ (.*)$", text)]
    return {*headings, *re.findall(r'<a id="([^"]+)">', text)}


def packs_at_any_time():
    """SOURCE_DATE_EPOCH may be before a zip can begin; what is no time is refused in words."""
    hold(packer.seconds("0") == packer.seconds(None) == packer.FIRST, "1970 is not taken for 1980")
    for epoch in ["yesterday", "99999999999"]:
        try:
            packer.seconds(epoch)
        except SystemExit as refused:
            hold(str(refused).startswith("error: ") and "\nhint: " in str(refused), f"{epoch}: {refused}")
        else:
            hold(False, f"{epoch} is taken for a time")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stripped(program):
    symbols = symbols_of(program)
    hold(not symbols, f"the program has {symbols.count(chr(10))} symbols")


def protected(program):
    """C code checks its stack frames, and the sizes of buffers where a compiler knows them: what it calls if a check fails is
    linked. Lua alone calls the last one."""
    linked = {name.split("@")[0] for name in symbols_of(program, "--dynamic", "--undefined-only", "--format=just-symbols").split()}
    for name in ["__stack_chk_fail", "__snprintf_chk", "__longjmp_chk"]:
        hold(name in linked, f"the program does not use {name}: .cargo/config.toml sets the flags of C")


def needs_little(program):
    """Each shared library makes every start slower, and that of mathematics gives other numbers on other machines."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", read_with(["readelf", "--dynamic"], program)))
    hold("libc.so.6" in needed, "the program does not name its libraries")
    others = {name for name in needed if not re.fullmatch(r"libc\.so\.6|ld-linux.*", name)}
    hold(not others, f"the program needs {sorted(others)}: host/build.rs links the unwinder, and lua/src/c_math.rs has the mathematics")


def symbols_of(program, *options):
    return read_with(["nm", *options], program)


def read_with(command, program):
    with tempfile.NamedTemporaryFile() as file:
        file.write(program)
        file.flush()
        run = subprocess.run([*command, file.name], capture_output=True, text=True)
    hold(run.returncode == 0, f"{command[0]} cannot read the program: {run.stderr.strip()}")
    return run.stdout


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
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    from_the_tree()
    if len(sys.argv) == 2:
        main(sys.argv[1])
