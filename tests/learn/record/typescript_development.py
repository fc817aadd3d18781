"""Faults of the half to develop on: `npx tsc`."""

from fault import Fault, Fix, Later, Project

LANGUAGE, HALF = "typescript", "development"
PROJECTS = [
    Project("shop", "Order", "basket", "total"),
    Project("feed", "Article", "reader", "title"),
    Project("chart", "Series", "axis", "points"),
]
CHECK = "npx tsc --noEmit"
PACKAGE = '{ "name": "§p", "type": "module", "private": true }\n'


def config(extra="", **options):
    settings = {
        "module": "nodenext",
        "target": "es2022",
        "strict": "true",
        "noEmit": "true",
        "types": "[]",
        **options,
    }
    shown = [
        f'"{key}": {value if value[:1] in "[{" or value in ("true", "false") else chr(34) + value + chr(34)}'
        for key, value in settings.items()
    ]
    return '{ "compilerOptions": { ' + ", ".join(shown) + ' }, "include": ["src"]' + extra + " }\n"


def package(source, settings=None, **files):
    return {"package.json": PACKAGE, "tsconfig.json": settings or config(), "src/index.ts": source, **files}


MODULE = "export interface §T {\n  §f: number;\n}\n\nexport function make§T(): §T {\n  return { §f: 1 };\n}\n"
IMPORTS = "import { make§T } from './§m';\n\nexport const first = make§T().§f;\n"

FIRST = """import type { §T } from './§m.js';

export function first§T(list: §T[]): number {
  const first = list[0];
  return first.§f;
}
"""
REQUIRE = """export function requireItem<T>(list: T[], at: number): T {
  const item = list[at];
  if (item === undefined) throw new RangeError(`no item ${at}`);
  return item;
}
"""

MODELS = "import type { §T } from '@app/models';\n\nexport function §f(§t: §T): unknown {\n  return §t;\n}\n"
MODELS_PACKAGE = '{ "name": "@app/models", "type": "module", "types": "dist/index.d.ts", "main": "dist/index.js" }\n'
BUNDLED = {"module": "esnext", "moduleResolution": "bundler"}

LEFTISH = "import { leftish } from 'leftish';\n\nexport const §f = leftish('§t', 3);\n"
LEFTISH_PACKAGE = {
    "node_modules/leftish/package.json": '{ "name": "leftish", "version": "1.0.0", "main": "index.js" }\n',
    "node_modules/leftish/index.js": "exports.leftish = (text, width) => text.padStart(width);\n",
}
TYPES_1 = {
    "node_modules/@types/leftish/package.json": (
        '{ "name": "@types/leftish", "version": "1.0.0", "types": "index.d.ts" }\n'
    ),
    "node_modules/@types/leftish/index.d.ts": (
        "export declare function leftish(text: string, width: number): string;\n"
    ),
}
# A stub that remained when the types moved away.
TYPES_2 = {"node_modules/@types/leftish/package.json": '{ "name": "@types/leftish", "version": "2.0.0" }\n'}

ANY_TYPES = config().replace(', "types": []', "")


def one_off(name, source, fixed, cause, tokens, wording, task):
    return Fault(
        f"tsc-{name}",
        "one_off",
        CHECK,
        cause,
        [package(source)],
        Fix({"src/index.ts": fixed}, tokens, [wording]),
        [task],
    )


FAULTS = [
    Fault(
        "tsc-import-extension",
        "recurring",
        CHECK,
        [["TS2835", "TS2834"]],
        [package(IMPORTS, **{"src/§m.ts": MODULE})],
        Fix(
            {"src/index.ts": IMPORTS.replace("./§m'", "./§m.js'")},
            [[".js"], ["extension"]],
            [
                "write the extension .js in relative imports",
                "relative imports of ES modules keep their .js extension",
                "added the .js extension to the import",
            ],
        ),
        ["Move make§T of §p into a module of its own", "§p: split §m from the index", "Import §m in the index of §p"],
    ),
    Fault(
        "tsc-first-of-list",
        "recurring",
        CHECK,
        [["TS18048", "TS2532"]],
        [package(FIRST, config(noUncheckedIndexedAccess="true"), **{"src/§m.ts": MODULE, "src/require.ts": REQUIRE})],
        Fix(
            {
                "src/index.ts": (
                    FIRST.replace("const first = list[0]", "const first = requireItem(list, 0)").replace(
                        "'./§m.js';\n", "'./§m.js';\nimport { requireItem } from './require.js';\n"
                    )
                )
            },
            [["requireItem"]],
            [
                "take it with requireItem of src/require.ts",
                "requireItem(list, 0) in place of list[0]",
                "used the helper requireItem, which throws for a missing element",
            ],
        ),
        ["Show the first §t of the list in §p", "§p: return the newest §t", "Take the §f of the first §t in §p"],
    ),
    Fault(
        "tsc-models-unbuilt",
        "recurring",
        CHECK,
        [["TS2307"], ["@app/models"]],
        [package(MODELS, **{"node_modules/@app/models/package.json": MODELS_PACKAGE})],
        Fix(
            {"node_modules/@app/models/dist/index.d.ts": "export interface §T { §f: number }\n"},
            [["tsc -b"], ["packages/models"]],
            [
                "run npx tsc -b packages/models first",
                "packages/models has to be built before: tsc -b packages/models",
                "its dist was missing, tsc -b packages/models makes it",
            ],
        ),
        ["Use the type §T of the shared models in §p", "Check §p in a fresh clone", "§p: update the shared models"],
    ),
    Fault(
        "tsc-models-path",
        "recurring",
        CHECK,
        [["TS2307"], ["@app/models"]],
        [package(MODELS, config(**BUNDLED), **{"models/index.ts": "export interface §T { §f: number }\n"})],
        Fix(
            {"tsconfig.json": config(**BUNDLED, paths='{ "@app/*": ["./*"] }')},
            [["paths"], ["tsconfig.json"]],
            [
                "add @app/* to paths in tsconfig.json",
                "tsconfig.json needs the alias under paths",
                "the alias was missing from paths of tsconfig.json",
            ],
        ),
        [
            "Import the models of §p by their alias",
            "§p: replace relative imports by @app",
            "Move §T of §p into the folder models",
        ],
    ),
    Fault(
        "tsc-node-types",
        "recurring",
        CHECK,
        [["TS2584", "TS2304", "TS2580"]],
        [
            package("export function show§T(§f: number): void {\n  console.log(§f);\n}\n", config(lib='["es2022"]')),
            package(
                "export function later§T(run: () => void): void {\n  setTimeout(run, 10);\n}\n",
                config(lib='["es2022"]'),
            ),
        ],
        Fix(
            {"tsconfig.json": config(lib='["es2022"]', types='["node"]')},
            [["types"], ["node"]],
            [
                "add node to types in tsconfig.json",
                "tsconfig.json: types has to list node",
                "set types to node in tsconfig.json and installed @types/node",
            ],
        ),
        ["Print the §f of each §t in §p", "§p: write a log line for §m", "Run §m of §p a little later"],
    ),
    Fault(
        "tsc-untyped-leftish",
        "recurring",
        CHECK,
        [["TS7016"]],
        [package(LEFTISH, ANY_TYPES, **LEFTISH_PACKAGE)],
        Fix(
            TYPES_1,
            [["@types/leftish"]],
            [
                "npm install -D @types/leftish",
                "installed @types/leftish for it",
                "the types are in the package @types/leftish",
            ],
        ),
        ["Align the column §f of §p with leftish", "§p: pad the §t with leftish", "Format §f in §p to a fixed width"],
        later=Later(
            package(LEFTISH, ANY_TYPES, **LEFTISH_PACKAGE),
            TYPES_2,
            Fix(
                {
                    "src/vendor.d.ts": (
                        "declare module 'leftish' {\n  export function leftish(text: string, width: number):"
                        " string;\n}\n"
                    )
                },
                [["vendor.d.ts"]],
                [
                    "declare the module in src/vendor.d.ts",
                    "src/vendor.d.ts has to declare it, the types package is a stub",
                    "wrote a declaration into src/vendor.d.ts",
                ],
            ),
        ),
    ),
    one_off(
        "wrong-argument",
        "export function half(§f: number): number {\n  return §f / 2;\n}\n\nhalf('§t');\n",
        "export function half(§f: number): number {\n  return §f / 2;\n}\n\nhalf(Number('3'));\n",
        [["TS2345"]],
        [["Number"]],
        "convert it with Number",
        "Halve the §f in §p",
    ),
    one_off(
        "missing-argument",
        "export function sum(a: number, b: number): number {\n  return a + b;\n}\n\nsum(1);\n",
        "export function sum(a: number, b: number): number {\n  return a + b;\n}\n\nsum(1, 2);\n",
        [["TS2554"]],
        [["second"]],
        "passed the second number",
        "Sum two §f in §p",
    ),
    one_off(
        "uninitialised",
        "export class §T {\n  §f: number;\n}\n",
        "export class §T {\n  §f = 0;\n}\n",
        [["TS2564"]],
        [["zero"]],
        "begin with zero",
        "Make §T of §p a class",
    ),
    one_off(
        "missing-return",
        "export function rank(§f: number): string {\n  if (§f > 3) return 'high';\n}\n",
        "export function rank(§f: number): string {\n  return §f > 3 ? 'high' : 'low';\n}\n",
        [["TS2366"]],
        [["low"]],
        "return low otherwise",
        "Rank a §t of §p",
    ),
    Fault(
        "tsc-half-written",
        "flake",
        CHECK,
        [["TS1005"]],
        [package("export * from './generated.js';\n", **{"src/generated.ts": "export const §f = {\n  §t: 1,\n"})],
        Fix({"src/generated.ts": "export const §f = {\n  §t: 1,\n};\n"}, [], []),
        ["Check §p while the generator watches", "Regenerate §f of §p"],
    ),
]
