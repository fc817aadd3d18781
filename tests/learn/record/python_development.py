"""Faults of the half to develop on: pytest."""

from fault import Fault, Fix, Later, Project, listener

LANGUAGE, HALF = "python", "development"
PROJECTS = [
    Project("inventory", "Item", "stock", "count"),
    Project("weather", "Reading", "station", "celsius"),
    Project("billing", "Invoice", "payments", "amount"),
]
TEST = "pytest -q"


def project(test, source="", **files):
    return {"§m.py": source, "tests/test_§m.py": test, "pytest.ini": "[pytest]\npythonpath = .\n", **files}


DUE = "from datetime import datetime, timezone\n\n\ndef is_due(at):\n    return at < datetime.now()\n"
DUE_TEST = """from datetime import datetime, timezone

from §m import is_due


def test_§f_is_due():
    assert is_due(datetime(2024, 1, 1, tzinfo=timezone.utc))
"""

SHARE_TEST = """from §m import share


def test_§f_is_shared():
    assert share(%s) == %s
"""
SHARE = "def share(§f):\n    return §f * 3\n"

TABLE = """import sqlite3

PATH = ":memory:"


def migrate(db):
    db.execute("create table items (§f integer)")


def add(db, §f):
    db.execute("insert into items values (?)", (§f,))
"""
TABLE_TEST = """import sqlite3

from §m import add, migrate


def test_adds_a_§t():
    db = sqlite3.connect(":memory:")
    add(db, 3)
    assert db.execute("select count(*) from items").fetchone() == (1,)
"""
MEMORY_TEST = """import sqlite3

from §m import PATH, add, migrate


def test_another_connection_sees_the_§t():
    first = sqlite3.connect(PATH, uri=True)
    migrate(first)
    second = sqlite3.connect(PATH, uri=True)
    add(second, 3)
"""
SHARED_MEMORY = TABLE.replace('":memory:"', '"file:items?mode=memory&cache=shared"')

KEY = 'import os\n\n\ndef database():\n    return os.environ["§P_DB"]\n'
NONE = 'import os\nimport pathlib\n\n\ndef database():\n    return str(pathlib.Path(os.environ.get("§P_DB")))\n'
KEY_TEST = "from §m import database\n\n\ndef test_database_of_§p():\n    assert database().endswith('.db')\n"
SET_KEY = """import pytest


@pytest.fixture(autouse=True)
def database(monkeypatch):
    monkeypatch.setenv("§P_DB", "test.db")
"""

PACKAGE = {
    "src/§p/__init__.py": "def §f():\n    return 3\n",
    "tests/test_§m.py": "from §p import §f\n\n\ndef test_§f():\n    assert §f() == 3\n",
    "pytest.ini": "[pytest]\n",
}
WITH_PYTHONPATH = {"pytest.ini": "[pytest]\npythonpath = src\n"}
WITH_CONFTEST = {
    "conftest.py": "import pathlib\nimport sys\n\nsys.path.insert(0, str(pathlib.Path(__file__).parent / 'src'))\n"
}

PROBE_TEST = """import socket


def test_§m_answers():
    with socket.create_connection(("127.0.0.1", 47812), timeout=1):
        pass
"""
SLOW_TEST = """import os
import time


def test_§f_is_quick():
    started = time.perf_counter()
    time.sleep(float(os.environ.get("LOAD", "0.011")))
    assert time.perf_counter() - started < 0.05
"""


def one_off(
    name,
    source,
    fixed,
    cause,
    tokens,
    wording,
    task,
    test="from §m import run\n\n\ndef test_run():\n    assert run() == 3\n",
):
    return Fault(
        f"pytest-{name}",
        "one_off",
        TEST,
        cause,
        [project(test, source)],
        Fix({"§m.py": fixed}, tokens, [wording]),
        [task],
    )


FAULTS = [
    Fault(
        "pytest-naive-time",
        "recurring",
        TEST,
        [["offset-naive"]],
        [project(DUE_TEST, DUE)],
        Fix(
            {"§m.py": DUE.replace("datetime.now()", "datetime.now(timezone.utc)")},
            [["timezone.utc"]],
            [
                "use datetime.now(timezone.utc) everywhere",
                "pass timezone.utc to datetime.now",
                "made now aware with timezone.utc",
            ],
        ),
        ["Mark each §t of §p that is overdue", "§p: remind of old entries of §m", "Let §p sort §f by date"],
    ),
    Fault(
        "pytest-inexact-sum",
        "recurring",
        TEST,
        [["assert"]],
        [project(SHARE_TEST % ("0.1", "0.3"), SHARE), project(SHARE_TEST % ("1.1", "3.3"), SHARE)],
        Fix(
            {
                "tests/test_§m.py": (
                    (SHARE_TEST % ("0.1", "pytest.approx(0.3)")).replace("from §m", "import pytest\nfrom §m")
                )
            },
            [["approx"]],
            [
                "compare floats with pytest.approx",
                "wrap the expected float in approx",
                "use pytest.approx for sums of floats",
            ],
        ),
        ["Test the share of each §t in §p", "§p: compute §f in tenths", "Add a test for §f of §p"],
    ),
    Fault(
        "pytest-table-not-migrated",
        "recurring",
        TEST,
        [["no such table"]],
        [project(TABLE_TEST, TABLE)],
        Fix(
            {"tests/test_§m.py": TABLE_TEST.replace("    add(db", "    migrate(db)\n    add(db")},
            [["migrate"]],
            [
                "call migrate on the connection first",
                "the test has to migrate its database",
                "ran migrate(db) in the test",
            ],
        ),
        ["Test that §p adds a §t", "§p: keep each §t in SQLite", "Write a test for the table of §m in §p"],
    ),
    Fault(
        "pytest-table-in-memory",
        "recurring",
        TEST,
        [["no such table"]],
        [project(MEMORY_TEST, TABLE)],
        Fix(
            {"§m.py": SHARED_MEMORY},
            [["cache=shared"]],
            [
                "open the memory database with cache=shared",
                "each connection has a memory of its own without cache=shared",
                "the URI needs mode=memory&cache=shared",
            ],
        ),
        [
            "Open a second connection to the items of §p",
            "§p: read §f while another connection writes",
            "Use a pool of connections in §p",
        ],
    ),
    Fault(
        "pytest-database-unset",
        "recurring",
        TEST,
        [["KeyError", "NoneType"]],
        [project(KEY_TEST, KEY), project(KEY_TEST, NONE)],
        Fix(
            {"tests/conftest.py": SET_KEY},
            [["setenv"]],
            [
                "set it by monkeypatch.setenv in tests/conftest.py",
                "an autouse fixture with monkeypatch.setenv sets the database",
                "monkeypatch.setenv for the database in conftest.py",
            ],
        ),
        [
            "Test where §p keeps its database",
            "§p: read the place of the database from outside",
            "Test §m of §p in isolation",
        ],
    ),
    Fault(
        "pytest-src-layout",
        "recurring",
        TEST,
        [["ModuleNotFoundError", "No module named"]],
        [PACKAGE],
        Fix(
            WITH_PYTHONPATH,
            [["pythonpath"]],
            [
                "set pythonpath = src in pytest.ini",
                "pytest.ini needs pythonpath = src",
                "added pythonpath with src to pytest.ini",
            ],
        ),
        ["Write the first test of §p", "Move §p into a src folder", "§p: begin a test of §f"],
        later=Later(
            PACKAGE,
            WITH_PYTHONPATH,
            Fix(
                WITH_CONFTEST,
                [["sys.path"], ["conftest.py"]],
                [
                    "insert src into sys.path in conftest.py",
                    "a conftest.py at the root puts src on sys.path",
                    "conftest.py adds src to sys.path, this pytest has no pythonpath",
                ],
            ),
            environment={"PATH_FIRST": "WORK/py6/bin"},
        ),
    ),
    one_off(
        "zero-division",
        "def run():\n    return 9 / 0\n",
        "def run():\n    return 3\n",
        [["ZeroDivisionError"]],
        [["empty"]],
        "skip the empty one",
        "Average the §f of §p",
    ),
    one_off(
        "index",
        "def run():\n    return [1, 2][2]\n",
        "def run():\n    return [1, 3][-1]\n",
        [["IndexError"]],
        [["last"]],
        "take the last one",
        "Show the last §t of §p",
    ),
    one_off(
        "attribute",
        "def run():\n    §f = []\n    §f.push(3)\n    return §f[0]\n",
        "def run():\n    §f = [3]\n    return §f[0]\n",
        [["AttributeError"]],
        [["append"]],
        "lists have append",
        "Collect §f in §p",
    ),
    one_off(
        "number",
        "def run():\n    return int('3 pieces')\n",
        "def run():\n    return int('3 pieces'.split()[0])\n",
        [["ValueError", "invalid literal"]],
        [["split"]],
        "split the unit off",
        "Read §f from a file in §p",
    ),
    Fault(
        "pytest-service-refused",
        "flake",
        TEST,
        [["refused"]],
        [project(PROBE_TEST)],
        Fix({}, [], []),
        ["Run the tests of §p with its service", "§p: connect §m"],
        while_passing=lambda: listener(47812),
    ),
    Fault(
        "pytest-loaded-machine",
        "flake",
        TEST,
        [["assert"]],
        [project(SLOW_TEST.replace('"0.011"', '"0.071"'))],
        Fix({"tests/test_§m.py": SLOW_TEST}, [], []),
        ["Measure §m of §p", "§p: test that §f is quick"],
    ),
]
