"""Finds out which functions a server runs from its start to its first run: `python3 dist/code_order.py PROGRAM MAP` writes
dist/code.order, which `make code-order` does.

The linker puts those functions beside each other, in this order, so that a start maps a tenth of the program's code. PROGRAM is
built as a release is, and MAP is what the linker wrote of it. Each function gets a breakpoint at its first byte, which goes when
it is hit: so it takes three seconds. Linux on x86-64 only. The order costs nothing but speed where a name in it is no longer right.
"""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ORDER = Path(__file__).resolve().parent / "code.order"

# Of <sys/ptrace.h> and <sys/user.h>.
TRACEME, PEEKUSER, POKEUSER, CONT, SETOPTIONS = 0, 3, 6, 7, 0x4200
FOLLOW_ALL = 0x2 | 0x4 | 0x8 | 0x10 | 0x100000  # forks, copies, threads and programs; all end with this one
EVENT_EXEC = 4
INSTRUCTION_POINTER = 128
BREAKPOINT = 0xCC
WAIT_ALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, address=0, data=0):
    ctypes.set_errno(0)
    value = libc.ptrace(request, pid, address, data)
    if ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


class Program:
    """Where the functions of the program lie, and its code with and without breakpoints."""

    def __init__(self, path, map_path):
        self.path = path
        sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
        address, offset, size = re.search(r"\s\.text\s+PROGBITS\s+(\w+) (\w+) (\w+)", sections).groups()
        self.text, offset, size = int(address, 16), int(offset, 16), int(size, 16)
        self.code = path.read_bytes()[offset:offset + size]
        self.functions = {}
        with open(map_path) as lines:
            for line in lines:
                # Address, address in memory, size, alignment, and the name of a symbol, or an object file with its section.
                fields = line.split(maxsplit=4)
                if len(fields) == 5 and re.fullmatch(r"[\w.$]+\n", fields[4]) and not fields[4].startswith("."):
                    address, size_of = int(fields[0], 16), int(fields[2], 16)
                    if self.text <= address < self.text + size and size_of > 0:
                        self.functions.setdefault(address, fields[4].strip())
        if not self.functions:
            sys.exit(f"{map_path} names no functions of {path}")
        stopping = bytearray(self.code)
        for address in self.functions:
            stopping[address - self.text] = BREAKPOINT
        self.stopping = bytes(stopping)

    def base(self, pid):
        """Where the program begins in a process; None where the process runs another one."""
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            fields = line.split(maxsplit=5)
            if int(fields[2], 16) == 0 and fields[5:] == [str(self.path)]:
                return int(line.split("-")[0], 16)
        return None


def write_memory(pid, address, content):
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(address)
        memory.write(content)


class Trace:
    """The functions that the processes of a server ran, in the order of their first calls."""

    def __init__(self, program):
        self.program = program
        self.called = {}

    def stop_at_functions(self, pid):
        base = self.program.base(pid)
        if base is not None:
            write_memory(pid, base + self.program.text, self.program.stopping)

    def pass_breakpoint(self, pid):
        after = ptrace(PEEKUSER, pid, INSTRUCTION_POINTER)
        base = self.program.base(pid)
        if base is None:
            if Path(f"/proc/{pid}/maps").read_text():
                sys.exit(f"process {pid} stopped at {after:#x} in another program than {self.program.path}")
            raise ProcessLookupError(f"process {pid} has no memory any more")
        address = after - 1 - base
        name = self.program.functions.get(address)
        if name is None:
            sys.exit(f"process {pid} stopped at {after:#x}, where no function of {self.program.path} begins: was it built anew meanwhile?")
        self.called.setdefault(name)
        at = address - self.program.text
        write_memory(pid, base + address, self.program.code[at:at + 1])
        ptrace(POKEUSER, pid, INSTRUCTION_POINTER, after - 1)

    def follow(self, pid):
        """Follows a process that waits to be traced, and all that come of it, to their ends."""
        os.waitpid(pid, 0)
        ptrace(SETOPTIONS, pid, 0, FOLLOW_ALL)
        self.stop_at_functions(pid)
        ptrace(CONT, pid)
        while True:
            try:
                pid, status = os.waitpid(-1, WAIT_ALL)
            except ChildProcessError:
                return
            if os.WIFSTOPPED(status):
                try:
                    ptrace(CONT, pid, 0, self.handle_stop(pid, status))
                except (ProcessLookupError, FileNotFoundError):
                    pass  # it was killed meanwhile

    def handle_stop(self, pid, status):
        """Returns the signal that the process gets."""
        event, number = status >> 16, os.WSTOPSIG(status)
        if event == EVENT_EXEC:
            self.stop_at_functions(pid)
        elif event == 0 and number == signal.SIGTRAP:
            self.pass_breakpoint(pid)
        elif event == 0 and number != signal.SIGSTOP:
            return number
        return 0


class Client:
    """What an agent does first."""

    def __init__(self, to_server, from_server):
        self.to_server, self.from_server, self.number = to_server, from_server, 0

    def send(self, **message):
        self.to_server.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.to_server.flush()

    def request(self, method, **params):
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        for line in self.from_server:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer or answer["result"].get("isError"):
                    sys.exit(f"{method}: {line.decode()}")
                return answer["result"]
        sys.exit(f"the server ended before it answered {method}")

    def work(self):
        self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "order", "version": "1"})
        self.send(method="notifications/initialized")
        # What a server does once it has nothing to do comes behind what a start needs.
        time.sleep(1.5)
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]:
            self.request(method)
        self.request("resources/read", uri="alc://types/alc.d.lua")
        self.request("tools/call", name="alc_run", arguments={"code": "return 1"})


def record(program, appdir):
    requests, answers = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(requests[0], 0)
        os.dup2(answers[1], 1)
        os.closerange(3, 64)
        libc.ptrace(TRACEME, 0, 0, 0)
        os.execve(program.path, [program.path, "--appdir", appdir], {"HOME": appdir})
    os.close(requests[0])
    os.close(answers[1])
    trace = Trace(program)
    failures = []

    def talk():
        with os.fdopen(requests[1], "wb") as to_server, os.fdopen(answers[0], "rb") as from_server:
            try:
                Client(to_server, from_server).work()
            except SystemExit as failure:
                failures.append(failure)

    # Only the thread that started the server may trace it.
    client = threading.Thread(target=talk)
    client.start()
    trace.follow(pid)
    client.join()
    if failures:
        raise failures[0]
    return list(trace.called)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = Program(Path(sys.argv[1]).resolve(), sys.argv[2])
    with tempfile.TemporaryDirectory() as appdir:
        subprocess.run([program.path, "--appdir", appdir, "init"], env={"HOME": appdir}, stdout=subprocess.DEVNULL, check=True)
        called = record(program, appdir)
    ORDER.write_text("".join(f"{name}\n" for name in called))
    print(f"{ORDER.name}: {len(called)} functions")


main()
