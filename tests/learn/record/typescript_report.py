"""Faults of the half that is looked at for the report alone: Vitest and ESLint."""

from fault import Fault, Fix, Later, Project

LANGUAGE, HALF = "typescript", "report"
PROJECTS = [
    Project("board", "Card", "column", "rank"),
    Project("player", "Track", "queue", "seconds"),
    Project("forms", "Field", "schema", "label"),
]
TEST = "npx vitest run"
LINT = "npx eslint src"
PACKAGE = '{ "name": "§p", "type": "module", "private": true }\n'


def tested(test, **files):
    return {"package.json": PACKAGE, "src/§m.test.ts": test, **files}


def linted(source, config, name="src/§m.js"):
    return {"package.json": PACKAGE, name: source, "eslint.config.js": config}


DOCUMENT_TEST = """import { expect, test } from 'vitest';

test('shows the §f', () => {
  const shown = document.createElement('p');
  shown.textContent = '§t';
  expect(shown.textContent).toBe('§t');
});
"""

LOADS = """export async function §f(load) {
  const answer = await load('/§t');
  return answer.total;
}
"""
LOADS_TEST = """import { expect, test, vi } from 'vitest';
import { §f } from './§m';

test('loads the §f', async () => {
  const load = vi.fn()%s;
  expect(await §f(load)).toBe(3);
});
"""
STORE = """let state;

export function resetStore() {
  state = { total: 0 };
}

export function §f() {
  return state.total;
}
"""
STORE_TEST = """import { beforeEach, expect, test } from 'vitest';
import { §f, resetStore } from './§m';

%stest('begins without §f', () => {
  expect(§f()).toBe(0);
});
"""

PLAIN = "export default [{ files: ['**/*.js', '**/*.ts'], rules: {} }];\n"
WITH_PARSER = """import typescript from 'typescript-eslint';

export default [{ files: ['**/*.js', '**/*.ts'], languageOptions: { parser: typescript.parser }, rules: {} }];
"""
UNDEFINED = "export default [{ files: ['**/*.js'], rules: { 'no-undef': 'error' } }];\n"
WITH_GLOBALS = """import globals from 'globals';

export default [{ files: ['**/*.js'], languageOptions: { globals: globals.node }, rules: { 'no-undef': 'error' } }];
"""


def restricted(*names):
    listed = ", ".join(f"'{name}'" for name in names)
    return f"export default [{{ files: ['**/*.js'], rules: {{ 'no-restricted-imports': ['error', {listed}] }} }}];\n"


MOMENT = "import moment from 'moment';\n\nexport const §f = () => moment().format();\n"
DATE_FNS = "import { format } from 'date-fns';\n\nexport const §f = () => format(new Date(), 'P');\n"
DATES = "import { today } from './dates.js';\n\nexport const §f = () => today();\n"


def bad_lint(name, rule, source, fixed, tokens, wording, task):
    config = f"export default [{{ files: ['**/*.js'], rules: {{ '{rule}': 'error' }} }}];\n"
    return Fault(
        f"eslint-{name}",
        "one_off",
        LINT,
        [[rule]],
        [linted(source, config)],
        Fix({"src/§m.js": fixed}, tokens, [wording]),
        [task],
    )


def bad_test(name, body, fixed, cause, tokens, wording, task):
    text = "import { expect, test } from 'vitest';\n\ntest('§f of §t', () => {\n  %s\n});\n"
    return Fault(
        f"vitest-{name}",
        "one_off",
        TEST,
        cause,
        [tested(text % body)],
        Fix({"src/§m.test.ts": text % fixed}, tokens, [wording]),
        [task],
    )


SLOW = (
    "import { test } from 'vitest';\n\ntest('§m answers', async () => {\n  await new Promise((done) =>"
    " setTimeout(done, 300));\n}, %s);\n"
)

FAULTS = [
    Fault(
        "vitest-no-document",
        "recurring",
        TEST,
        [["document is not defined"]],
        [tested(DOCUMENT_TEST)],
        Fix(
            {"vitest.config.ts": "export default { test: { environment: 'happy-dom' } };\n"},
            [["environment"], ["happy-dom"]],
            [
                "set environment to happy-dom in vitest.config.ts",
                "vitest.config.ts: test.environment happy-dom",
                "the environment of Vitest has to be happy-dom",
            ],
        ),
        ["Test how §p shows a §t", "§p: test the label of §m", "Render the §f of §p in a test"],
    ),
    Fault(
        "eslint-process",
        "recurring",
        LINT,
        [["no-undef"]],
        [linted("export const §f = process.env.§P_LEVEL;\n", UNDEFINED)],
        Fix(
            {"eslint.config.js": WITH_GLOBALS},
            [["globals.node"]],
            [
                "add globals.node to languageOptions.globals",
                "languageOptions.globals has to be globals.node",
                "spread globals.node in eslint.config.js",
            ],
        ),
        ["Read the level of §m in §p from outside", "§p: configure §f by the environment", "Let §p log more"],
    ),
    Fault(
        "vitest-mock-without-value",
        "recurring",
        TEST,
        [["Cannot read properties of undefined"]],
        [tested(LOADS_TEST % "", **{"src/§m.ts": LOADS})],
        Fix(
            {"src/§m.test.ts": LOADS_TEST % ".mockResolvedValue({ total: 3 })"},
            [["mockResolvedValue"]],
            [
                "give the mock a value by mockResolvedValue",
                "vi.fn() needs mockResolvedValue here",
                "mockResolvedValue for the load",
            ],
        ),
        ["Test that §p loads the §f", "§p: mock the server of §m", "Test §m of §p without a network"],
    ),
    Fault(
        "vitest-store-not-reset",
        "recurring",
        TEST,
        [["Cannot read properties of undefined"]],
        [tested(STORE_TEST % "", **{"src/§m.ts": STORE})],
        Fix(
            {"src/§m.test.ts": STORE_TEST % "beforeEach(resetStore);\n\n"},
            [["resetStore"]],
            ["call resetStore in beforeEach", "beforeEach(resetStore)", "each test begins with resetStore"],
        ),
        ["Test the store of §p", "§p: keep §f in a store", "Test that §m of §p begins empty"],
    ),
    Fault(
        "eslint-no-parser",
        "recurring",
        LINT,
        [["Parsing error"]],
        [
            linted("export const §f: number = 3;\n", PLAIN, "src/§m.ts"),
            linted("interface §T {\n  §f: number;\n}\n", PLAIN, "src/§m.ts"),
        ],
        Fix(
            {"eslint.config.js": WITH_PARSER},
            [["typescript-eslint"], ["parser"]],
            [
                "set the parser of typescript-eslint in eslint.config.js",
                "eslint.config.js needs the parser from typescript-eslint",
                "languageOptions.parser is that of typescript-eslint",
            ],
        ),
        ["Lint the TypeScript of §p", "§p: turn §m into TypeScript", "Type the §f of §p"],
    ),
    Fault(
        "eslint-moment",
        "recurring",
        LINT,
        [["import is restricted"]],
        [linted(MOMENT, restricted("moment"))],
        Fix(
            {"src/§m.js": DATE_FNS},
            [["date-fns"]],
            ["use date-fns instead", "format it with date-fns", "replaced it by date-fns"],
        ),
        ["Show the date of a §t in §p", "§p: format the time of §m", "Sort §m of §p by day"],
        later=Later(
            linted(MOMENT, restricted("moment", "date-fns")),
            {"src/§m.js": DATE_FNS},
            Fix(
                {"src/§m.js": DATES, "src/dates.js": "export const today = () => new Date().toISOString();\n"},
                [["src/dates"]],
                [
                    "use today of src/dates",
                    "src/dates has what is allowed",
                    "our own helpers in src/dates replace both",
                ],
            ),
        ),
    ),
    bad_lint(
        "equality",
        "eqeqeq",
        "export const is = (§f) => §f == 3;\n",
        "export const is = (§f) => §f === 3;\n",
        [["==="]],
        "use ===",
        "Compare the §f of §p",
    ),
    bad_lint(
        "fallthrough",
        "no-fallthrough",
        "export function f(§f) {\n  switch (§f) {\n    case 1:\n      §f += 1;\n    case 2:\n      return §f;\n "
        " }\n}\n",
        "export function f(§f) {\n  switch (§f) {\n    case 1:\n      return §f + 1;\n    case 2:\n      return §f;\n"
        "  }\n}\n",
        [["return early"]],
        "return early in the first case",
        "Add a state to §m of §p",
    ),
    bad_test(
        "iterable",
        "const [first] = { §f: 1 } as never;\n  expect(first).toBe(1);",
        "const [first] = [1];\n  expect(first).toBe(1);",
        [["not iterable"]],
        [["array"]],
        "it is an array now",
        "Take the first §t of §p",
    ),
    bad_test(
        "difference",
        "expect({ §f: 3 }).toEqual({ §f: 4 });",
        "expect({ §f: 4 }).toEqual({ §f: 4 });",
        [["to deeply equal"]],
        [["four"]],
        "the value is four since last week",
        "Raise the §f of §p",
    ),
    Fault(
        "vitest-timed-out",
        "flake",
        TEST,
        [["timed out"]],
        [tested(SLOW % "100")],
        Fix({"src/§m.test.ts": SLOW % "5000"}, [], []),
        ["Test §m of §p under load", "§p: test that §m answers"],
    ),
]
