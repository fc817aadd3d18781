"""The guest's command in Python: `python command.py COMPONENT CORPUS` prints the SHA-256 of what it says of every source (docs/GUEST.md)."""

import hashlib
import json
import pathlib
import sys
import tempfile

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker

RUN = "wasi:cli/run@0.2.6"


def main(component, corpus):
    engine, corpus = Engine(), pathlib.Path(corpus)
    component, linker = Component.from_file(engine, component), Linker(engine)
    linker.add_wasip2()
    digest = hashlib.sha256()
    for case in json.loads(corpus.read_text("utf-8"))["extract"]:
        source = (corpus.parent / case["file"]).read_bytes() if "file" in case else (case["text"] * case.get("times", 1)).encode()
        with tempfile.TemporaryDirectory() as folder:
            said = run(engine, component, linker, pathlib.Path(folder), source)
        digest.update(f"{json.dumps(said, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}\n".encode())
    print(digest.hexdigest())


def run(engine, component, linker, folder, source):
    (folder / "stdin").write_bytes(source)
    wasi = WasiConfig()
    wasi.stdin_file, wasi.stdout_file, wasi.stderr_file = (str(folder / name) for name in ["stdin", "stdout", "stderr"])
    with Store(engine) as store:
        store.set_wasi(wasi)
        instance = linker.instantiate(store, component)
        inside = instance.get_export_index(store, RUN)
        answer = instance.get_func(store, instance.get_export_index(store, "run", inside))(store)
    streams = {name: (folder / name).read_text("utf-8") for name in ["stdout", "stderr"]}
    return {"status": 0 if answer.tag == "ok" else 1, **streams}


if __name__ == "__main__":
    main(*sys.argv[1:])
