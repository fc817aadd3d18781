"""The guest of documents in Python: `python documents.py COMPONENT` prints a small post (docs/GUEST.md). It needs host.py beside it.

`python documents.py COMPONENT CORPUS` prints the SHA-256 of all answers to a corpus.
"""

import hashlib
import json
import pathlib
import statistics
import sys
import time

from wasmtime.component import Record, Variant

from host import Guest, shown

DOCUMENT, TEMPLATES, SCRIPTS, IMAGE = (
    f"wardroom:documents/{name}@0.1.0" for name in ["document", "template-check", "script-check", "image"]
)
# A picture takes more memory than any other document.
PICTURE_MEMORY = 256 * 1024 * 1024
POST = b"---\ntitle: A post\n---\nAbout [another one](/posts/another).\n"


def record(**fields):
    made = Record()
    made.__dict__.update({name.replace("_", "-"): value for name, value in fields.items()})
    return made


class Documents:
    """A function for each of the component. The name of a case in the corpus is the name of its function."""

    def __init__(self, path):
        self.documents, self.pictures = Guest(path), Guest(path, PICTURE_MEMORY)

    def call(self, function, source, case):
        # An error is a variant in all interfaces: `preview` returns a text that is none.
        ask = lambda interface, name, *rest: self.documents.call(interface, name, source, *rest, errors=Variant)
        match function:
            case "read-post":
                return ask(DOCUMENT, function, record(public_url=case.get("public-url")))
            case "edit":
                return ask(DOCUMENT, function, [record(**change) for change in case["changes"]])
            case "template-check":
                return ask(TEMPLATES, "check")
            case "script-check":
                return ask(SCRIPTS, "check")
            case "inspect":
                return self.picture(function, source)
            case "make-thumbnail":
                return self.picture(function, source, case["side"])
        return ask(DOCUMENT, function)

    def picture(self, function, *arguments):
        answer = self.pictures.call(IMAGE, function, *arguments, errors=(type(None), int, str))
        # The cases of this error come without tags, because their types differ.
        names = {type(None): "unknown-format", int: "too-many-pixels", str: "malformed"}
        return {"err": {names[type(answer["err"])]: answer["err"]}} if "err" in answer else answer


def main(component, corpus=None):
    guest = Documents(component)
    if corpus is None:
        print(shown(guest.call("read-post", POST, {})))
    else:
        run(guest, pathlib.Path(corpus))


def run(guest, corpus):
    cases = json.loads(corpus.read_text("utf-8"))
    digest = hashlib.sha256()

    def source(case):
        if "file" in case:
            return (corpus.parent / case["file"]).read_bytes()
        return bytes.fromhex(case["hex"]) if "hex" in case else (case["text"] * case.get("times", 1)).encode()

    for function, entries in cases.items():
        for case in entries:
            digest.update(f"{shown(guest.call(function, source(case), case))}\n".encode())
    print(digest.hexdigest())

    print(", ".join(duration(guest, source, function, cases) for function in ["read-post", "make-thumbnail"]), file=sys.stderr)


def duration(guest, source, function, cases):
    first, times = cases[function][0], []
    for _ in range(100):
        begun = time.perf_counter()
        guest.call(function, source(first), first)
        times.append(time.perf_counter() - begun)
    return f"{statistics.median(times) * 1e6:.0f} µs"


if __name__ == "__main__":
    main(*sys.argv[1:])
