"""The guest in Python: `python host.py COMPONENT` prints the metadata of a small package (docs/GUEST.md).

`python host.py COMPONENT CORPUS` prints the SHA-256 of all answers to a corpus.
"""

import hashlib
import json
import pathlib
import statistics
import sys
import time

from wasmtime import Config, Engine, Store, WasiConfig
from wasmtime.component import Component, Linker, Record, Variant

META = "wardroom:guest/package-meta@0.1.0"
IDS = "wardroom:guest/resource-id@0.1.0"
# About an instruction each: more than twice what the slowest mebibyte takes. A few seconds at most.
FUEL = 3_000_000_000
# Beyond what the guest reads, so that its own answer says that something is too large, unless it is larger still.
MOST = 2 * 1024 * 1024
SOURCE = b'local M = {}\nM.meta = { name = "x", version = f() }\nreturn M\n'


class Guest:
    """A fresh instance for each call, with limits; nothing of this process is given to it."""

    def __init__(self, path, memory=32 * 1024 * 1024):
        self.memory = memory
        config = Config()
        config.consume_fuel = True
        config.max_wasm_stack = 512 * 1024
        self.engine = Engine(config)
        self.component = Component.from_file(self.engine, path)
        self.linker = Linker(self.engine)
        if self.component.type.imports(self.engine):
            self.linker.add_wasip2()

    def call(self, interface, function, *arguments, errors=(Variant, str)):
        if sum(len(argument) for argument in arguments if isinstance(argument, (bytes, str))) > MOST:
            raise ValueError(f"more than {MOST} bytes")
        store = Store(self.engine)
        store.set_wasi(WasiConfig())  # no folders, no environment, no arguments, no streams
        store.set_limits(memory_size=self.memory, table_elements=10_000)
        store.set_fuel(FUEL)
        instance = self.linker.instantiate(store, self.component)
        inside = instance.get_export_index(store, interface)
        answer = instance.get_func(store, instance.get_export_index(store, function, inside))(store, *arguments)
        # `result` comes without a tag: an error is a variant where errors are one, and a text otherwise.
        return {"err" if isinstance(answer, errors) else "ok": plain(answer)}


def plain(value):
    """What JSON can hold."""
    if isinstance(value, Record):
        return {name: plain(field) for name, field in vars(value).items()}
    if isinstance(value, Variant):
        return {value.tag: plain(value.payload)}
    if isinstance(value, (list, bytes)):
        return [plain(entry) for entry in value]
    return value


def shown(answer):
    return json.dumps(answer, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def main(component, corpus=None):
    guest = Guest(component)
    if corpus is None:
        print(shown(guest.call(META, "extract", "x", SOURCE)))
    else:
        run(guest, pathlib.Path(corpus))


def run(guest, corpus):
    cases = json.loads(corpus.read_text("utf-8"))
    digest = hashlib.sha256()

    def say(answer):
        digest.update(f"{shown(answer)}\n".encode())

    def source(case):
        return (corpus.parent / case["file"]).read_bytes() if "file" in case else (case["text"] * case.get("times", 1)).encode()

    for case in cases["extract"]:
        say(guest.call(META, "extract", case["name"], source(case)))
    for kind, name in cases["check"]:
        say(guest.call(IDS, "check", kind, name))
    for uri in cases["parse"]:
        say(guest.call(IDS, "parse", uri))
    print(digest.hexdigest())

    first, times = cases["extract"][0], []
    for _ in range(200):
        begun = time.perf_counter()
        guest.call(META, "extract", first["name"], source(first))
        times.append(time.perf_counter() - begun)
    print(f"{statistics.median(times) * 1e6:.0f} µs", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
