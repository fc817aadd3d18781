"""Faults of the half that is looked at for the report alone: mypy and unittest."""

from fault import Fault, Fix, Later, Project, listener

LANGUAGE, HALF = "python", "report"
PROJECTS = [
    Project("router", "Route", "table", "metric"),
    Project("ingest", "Record", "source", "offset"),
    Project("quota", "Limit", "usage", "ceiling"),
]
TYPES = "mypy §p"
TEST = "python -m unittest -q"
# What a machine has without a locale.
PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def typed(source, **files):
    return {"§p/__init__.py": "", "§p/§m.py": source, **files}


def tested(test, source="", **files):
    return {"§m.py": source, "test_§m.py": test, **files}


MATCHED = """import re

from §p.require import require_match


def §f(text: str) -> str:
    return re.search("[a-z]+", text).group(0)
"""
REQUIRE = """import re


def require_match(match: re.Match[str] | None) -> re.Match[str]:
    if match is None:
        raise ValueError("no match")
    return match
"""

ASYNC = "class §T:\n    §f = 3\n\n\nasync def load():\n    return §T()\n"
ASYNC_TEST = """import unittest

from §m import load


class LoadTest(unittest.TestCase):
    def test_loads_a_§t(self):
        §t = load()
        self.assertEqual(§t.§f, 3)
"""
AWAITED_TEST = (
    ASYNC_TEST.replace("unittest.TestCase", "unittest.IsolatedAsyncioTestCase")
    .replace("    def", "    async def")
    .replace("= load()", "= await load()")
)

PROTOCOL = "import protocol_pb2\n\n\ndef §f() -> int:\n    return int(protocol_pb2.VERSION)\n"
GENERATED = "VERSION = 3\n"

READS = 'def §f():\n    with open("names.txt") as names:\n        return names.read()\n'
WRITES = 'def §f():\n    with open("names.txt", "w") as names:\n        names.write("José")\n    return "José"\n'
NAMES_TEST = """import unittest

from §m import §f


class NamesTest(unittest.TestCase):
    def test_names(self):
        self.assertIn("Jos", §f())
"""
NAMES = {"names.txt": "José\n"}

TOML = "import tomli\n\n\ndef §f(text):\n    return tomli.loads(text)['§f']\n"
TOML_TEST = """import unittest

from §m import §f


class SettingsTest(unittest.TestCase):
    def test_§f(self):
        self.assertEqual(§f("§f = 3"), 3)
"""
# What the index of the first half has.
TOMLI = {"tomli/__init__.py": "from tomllib import load, loads\n"}


def bad_types(name, source, fixed, cause, tokens, wording, task):
    return Fault(
        f"mypy-{name}", "one_off", TYPES, cause, [typed(source)], Fix({"§p/§m.py": fixed}, tokens, [wording]), [task]
    )


def bad_test(name, source, fixed, cause, tokens, wording, task):
    test = (
        "import unittest\n\nfrom §m import run\n\n\nclass RunTest(unittest.TestCase):\n    def test_run(self):\n     "
        "   self.assertEqual(run(), 3)\n"
    )
    return Fault(
        f"unittest-{name}",
        "one_off",
        TEST,
        cause,
        [tested(test, source)],
        Fix({"§m.py": fixed}, tokens, [wording]),
        [task],
    )


PORT_TEST = """import socket
import unittest


class PortTest(unittest.TestCase):
    def test_§m_listens(self):
        with socket.socket() as own:
            own.bind(("127.0.0.1", 47814))
"""

FAULTS = [
    Fault(
        "mypy-optional-match",
        "recurring",
        TYPES,
        [["union-attr", "has no attribute"]],
        [typed(MATCHED, **{"§p/require.py": REQUIRE})],
        Fix(
            {"§p/§m.py": MATCHED.replace('re.search("[a-z]+", text)', 'require_match(re.search("[a-z]+", text))')},
            [["require_match"]],
            [
                "wrap the search in require_match",
                "use require_match of the module require",
                "require_match raises where nothing fits",
            ],
        ),
        ["Take the name from a line in §p", "§p: parse the §f of a §t", "Read §m of §p with a regular expression"],
    ),
    Fault(
        "unittest-not-awaited",
        "recurring",
        TEST,
        [["coroutine"]],
        [tested(ASYNC_TEST, ASYNC)],
        Fix(
            {"test_§m.py": AWAITED_TEST},
            [["IsolatedAsyncioTestCase"]],
            [
                "await it in an IsolatedAsyncioTestCase",
                "tests of async code are an IsolatedAsyncioTestCase",
                "made the class an IsolatedAsyncioTestCase",
            ],
        ),
        ["Load each §t of §p asynchronously", "§p: test the async load of §m", "Make §m of §p async"],
    ),
    Fault(
        "mypy-protocol-not-generated",
        "recurring",
        TYPES,
        [["import-not-found", "Cannot find implementation"]],
        [typed(PROTOCOL)],
        Fix(
            {"protocol_pb2.py": GENERATED},
            [["generate.sh"]],
            [
                "run sh generate.sh, which calls protoc",
                "protocol_pb2.py comes from generate.sh",
                "ran generate.sh after the checkout",
            ],
        ),
        [
            "Check the types of a fresh clone of §p",
            "§p: use the new protocol in §m",
            "Read the version of the protocol in §p",
        ],
    ),
    Fault(
        "mypy-protocol-path",
        "recurring",
        TYPES,
        [["import-not-found", "Cannot find implementation"]],
        [typed(PROTOCOL, **{"gen/protocol_pb2.py": GENERATED})],
        Fix(
            {"mypy.ini": "[mypy]\nmypy_path = gen\n"},
            [["mypy_path"]],
            [
                "set mypy_path = gen in mypy.ini",
                "mypy.ini needs mypy_path for the generated code",
                "added gen to mypy_path",
            ],
        ),
        [
            "Move the generated code of §p into gen",
            "§p: keep protocols apart from §m",
            "Split generated files off §p",
        ],
    ),
    Fault(
        "unittest-encoding",
        "recurring",
        TEST,
        [["codec"]],
        [tested(NAMES_TEST, READS, **NAMES), tested(NAMES_TEST, WRITES)],
        Fix(
            {"§m.py": READS.replace('"names.txt"', '"names.txt", encoding="utf-8"'), **NAMES},
            [["encoding"], ["utf-8"]],
            ["pass encoding utf-8 to open", "open files with encoding=utf-8", "gave open the encoding utf-8"],
        ),
        ["Read names with accents in §p", "§p: write the names of §m", "Run the tests of §p in a container"],
        environment=PLAIN,
    ),
    Fault(
        "unittest-tomli",
        "recurring",
        TEST,
        [["ModuleNotFoundError", "No module named"]],
        [tested(TOML_TEST, TOML)],
        Fix(
            TOMLI,
            [["install tomli"]],
            ["pip install tomli", "install tomli into the environment", "ran pip install tomli"],
        ),
        ["Read the settings of §p", "§p: configure §f by a file", "Let §m of §p have settings"],
        later=Later(
            tested(TOML_TEST, TOML),
            {},
            Fix(
                {"§m.py": TOML.replace("tomli", "tomllib")},
                [["tomllib"]],
                [
                    "import tomllib of the standard library",
                    "tomllib replaces it",
                    "use tomllib, the index has the package no more",
                ],
            ),
            obsolete_command="pip install --disable-pip-version-check --no-index tomli && python -m unittest -q",
        ),
    ),
    bad_types(
        "argument",
        "def half(§f: int) -> int:\n    return §f // 2\n\n\nhalf('§t')\n",
        "def half(§f: int) -> int:\n    return §f // 2\n\n\nhalf(3)\n",
        [["arg-type"]],
        [["integer"]],
        "passed an integer",
        "Halve the §f of §p",
    ),
    bad_types(
        "result",
        "def §f() -> int:\n    return 'three'\n",
        "def §f() -> str:\n    return 'three'\n",
        [["return-value"]],
        [["str"]],
        "it returns a str",
        "Name the §f of §p",
    ),
    bad_test(
        "key",
        "def run():\n    return {'§f': 3}['§t']\n",
        "def run():\n    return {'§f': 3}['§f']\n",
        [["KeyError"]],
        [["renamed"]],
        "the key was renamed",
        "Rename the §f of §p",
    ),
    bad_test(
        "recursion",
        "def run():\n    return run()\n",
        "def run():\n    return 3\n",
        [["RecursionError"]],
        [["base"]],
        "a base case",
        "Walk §m of §p",
    ),
    Fault(
        "unittest-port-taken",
        "flake",
        TEST,
        [["Address already in use"]],
        [tested(PORT_TEST)],
        Fix({}, [], []),
        ["Test that §p listens", "§p: run all tests of §m"],
        while_failing=lambda: listener(47814),
    ),
]
