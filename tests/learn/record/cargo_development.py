"""Faults of the half to develop on: `cargo build`."""

from fault import Fault, Fix, Later, Project, listener

LANGUAGE, HALF = "cargo", "development"
PROJECTS = [
    Project("ledger", "Account", "posting", "balance"),
    Project("lexer", "Token", "scanner", "span"),
    Project("kiln", "Batch", "firing", "heat"),
]
BUILD = "cargo build"
MANIFEST = '[package]\nname = "§p"\nversion = "0.1.0"\nedition = "2021"\n'


def crate(source, **files):
    return {"Cargo.toml": MANIFEST, "src/lib.rs": source, **files}


MOVED = """use std::sync::Arc;
use std::thread;

pub struct §T {
    pub §f: u64,
}

pub fn §m_all(§t: Arc<§T>) -> u64 {
    let worker = thread::spawn(move || §t.§f * 2);
    let own = §t.§f;
    own + worker.join().unwrap()
}
"""

NOT_SEND = """use std::cell::RefCell;
use std::rc::Rc;
use std::thread;

pub struct §T {
    pub §f: u64,
}

pub fn §m_later(§t: Rc<RefCell<§T>>) {
    thread::spawn(move || §t.borrow_mut().§f += 1);
}
"""

SCHEMA = "pub mod schema;\n\npub fn §m_names() -> &'static [&'static str] {\n    schema::NAMES\n}\n"
NAMES = 'pub const NAMES: &[&str] = &["§t", "§f"];\n'

RECORD = '[package]\nname = "record"\nversion = "1.4.0"\nedition = "2021"\n'
RECORD_DERIVE = {
    "record-derive/Cargo.toml": (
        '[package]\nname = "record-derive"\nversion = "2.0.0"\nedition = "2021"\n\n[lib]\nproc-macro = true\n'
    ),
    "record-derive/src/lib.rs": (
        "use proc_macro::TokenStream;\n\n#[proc_macro_derive(Record)]\npub fn record(_: TokenStream) -> TokenStream"
        " {\n    TokenStream::new()\n}\n"
    ),
}
DERIVED = "use record::Record;\n\n#[derive(Record)]\npub struct §T {\n    pub §f: u64,\n}\n"
RECORD_1 = {
    **RECORD_DERIVE,
    "record/Cargo.toml": (
        RECORD
        + '\n[features]\nderive = ["dep:record-derive"]\n\n[dependencies]\n'
        'record-derive = { path = "../record-derive", optional = true }\n'
    ),
    "record/src/lib.rs": '#[cfg(feature = "derive")]\npub use record_derive::Record;\n\npub trait Record {}\n',
}
RECORD_2 = {
    **RECORD_DERIVE,
    "record/Cargo.toml": RECORD.replace("1.4.0", "2.0.0"),
    "record/src/lib.rs": "pub trait Record {}\n",
}
USES_RECORD = MANIFEST + '\n[dependencies]\nrecord = { path = "record" }\n'
WITH_FEATURE = {"Cargo.toml": MANIFEST + '\n[dependencies]\nrecord = { path = "record", features = ["derive"] }\n'}
WITH_DERIVE_CRATE = {
    "Cargo.toml": USES_RECORD + 'record-derive = { path = "record-derive" }\n',
    "src/lib.rs": DERIVED.replace("use record::Record", "use record_derive::Record"),
}

REGION_IN_CODE = 'pub const REGION: &str = env!("§P_REGION");\n'
REGION_IN_SCRIPT = (
    'fn main() {\n    let region = std::env::var("§P_REGION").unwrap();\n   '
    ' println!("cargo::rustc-env=BUILT_FOR={region}");\n}\n'
)

PROBE = """use std::net::TcpStream;

fn main() {
    TcpStream::connect("127.0.0.1:47811").expect("the package mirror answers");
}
"""


def one_off(name, source, fixed, cause, tokens, wording, task):
    return Fault(
        f"cargo-{name}",
        "one_off",
        BUILD,
        cause,
        [crate(source)],
        Fix({"src/lib.rs": fixed}, tokens, [wording]),
        [task],
    )


FAULTS = [
    Fault(
        "cargo-moved-into-thread",
        "recurring",
        BUILD,
        [["E0382"]],
        [crate(MOVED)],
        Fix(
            {
                "src/lib.rs": MOVED.replace(
                    "    let worker = thread::spawn(move || §t",
                    "    let shared = Arc::clone(&§t);\n    let worker = thread::spawn(move || shared",
                )
            },
            [["Arc"], ["clone"]],
            [
                "clone the Arc before the closure that moves it",
                "Arc::clone a handle for the thread and keep the own one",
                "the spawned closure took the value: give it a clone of the Arc",
            ],
        ),
        [
            "Compute the sum of §m in §p on a second thread",
            "§p: do the slow half of §m in the background",
            "Share one §t between two workers of §p",
        ],
    ),
    Fault(
        "cargo-not-send",
        "recurring",
        BUILD,
        [["E0277", "sent between threads"]],
        [crate(NOT_SEND)],
        Fix(
            {
                "src/lib.rs": (
                    NOT_SEND.replace("use std::cell::RefCell;\nuse std::rc::Rc;", "use std::sync::{Arc, Mutex};")
                    .replace("Rc<RefCell<", "Arc<Mutex<")
                    .replace("borrow_mut()", "lock().unwrap()")
                )
            },
            [["Arc"], ["Mutex"]],
            [
                "replace Rc<RefCell> by Arc<Mutex> for what crosses threads",
                "hold it in an Arc with a Mutex, Rc stays on one thread",
                "Arc<Mutex<..>> instead of Rc<RefCell<..>>",
            ],
        ),
        [
            "Update the §f of a §t from a worker thread in §p",
            "Let §p write §f in the background",
            "§p: count §f without blocking the caller",
        ],
    ),
    Fault(
        "cargo-schema-generated",
        "recurring",
        BUILD,
        [["schema"], ["E0583", "file not found"]],
        [crate(SCHEMA, **{"generate.sh": "echo > src/schema.rs\n"})],
        Fix(
            {"src/schema.rs": NAMES},
            [["generate.sh"]],
            [
                "run sh generate.sh first, the schema is generated",
                "src/schema.rs is not in the repository: generate.sh writes it",
                "ran ./generate.sh after the checkout",
            ],
        ),
        ["Build a fresh clone of §p", "Add a column §f to §p", "First build of §p on the new machine"],
    ),
    Fault(
        "cargo-schema-misplaced",
        "recurring",
        BUILD,
        [["schema"], ["E0583", "file not found"]],
        [crate(SCHEMA, **{"src/schema/lib.rs": NAMES})],
        Fix(
            {"src/schema/lib.rs": None, "src/schema/mod.rs": NAMES},
            [["mod.rs"]],
            [
                "a module folder begins with mod.rs: renamed lib.rs in it",
                "src/schema/lib.rs has to be called mod.rs",
                "renamed the file to src/schema/mod.rs",
            ],
        ),
        [
            "Split the schema of §p into a folder",
            "§p: move the tables from the crate schema into a module",
            "Merge the crate schema into §p",
        ],
    ),
    Fault(
        "cargo-region-unset",
        "recurring",
        BUILD,
        [["environment variable", "NotPresent", "custom build command"]],
        [
            crate(REGION_IN_CODE),
            crate('pub const REGION: &str = env!("BUILT_FOR");\n', **{"build.rs": REGION_IN_SCRIPT}),
        ],
        Fix(
            {".cargo/config.toml": '[env]\n§P_REGION = "eu"\n'},
            [[".cargo/config.toml"], ["env"]],
            [
                "set the region under [env] in .cargo/config.toml",
                ".cargo/config.toml needs an [env] table with the region",
                "put the variable in the env section of .cargo/config.toml",
            ],
        ),
        ["Build §p for another region", "Set up §p in continuous integration", "Package §p for the eu region"],
    ),
    Fault(
        "cargo-record-derive",
        "recurring",
        BUILD,
        [["cannot find derive macro"]],
        [{**RECORD_1, "Cargo.toml": USES_RECORD, "src/lib.rs": DERIVED}],
        Fix(
            WITH_FEATURE,
            [["derive"], ["feature", "features"]],
            [
                "enable the feature derive of record in Cargo.toml",
                "record needs features = [derive] in Cargo.toml",
                "turned on the derive feature of the crate record",
            ],
        ),
        ["Make §T of §p a record", "§p: store §t with the record crate", "Export each §t of §p as a record"],
        later=Later(
            {**RECORD_2, "Cargo.toml": USES_RECORD, "src/lib.rs": DERIVED},
            WITH_FEATURE,
            Fix(
                WITH_DERIVE_CRATE,
                [["record-derive", "record_derive"]],
                [
                    "depend on record-derive and import the macro from it",
                    "record 2 has its macro in the crate record-derive",
                    "added record-derive to Cargo.toml, use record_derive::Record",
                ],
            ),
        ),
    ),
    one_off(
        "missing-lifetime",
        "pub struct §T {\n    pub §f: &str,\n}\n",
        "pub struct §T<'a> {\n    pub §f: &'a str,\n}\n",
        [["E0106"]],
        [["lifetime"]],
        "gave the struct a lifetime",
        "Keep the source text in each §t of §p",
    ),
    one_off(
        "missing-operator",
        "pub struct §T(u64);\n\npub fn sum(a: §T, b: §T) -> §T {\n    a + b\n}\n",
        "pub struct §T(u64);\n\npub fn sum(a: §T, b: §T) -> §T {\n    §T(a.0 + b.0)\n}\n",
        [["E0369"]],
        [["inner"]],
        "added the inner numbers",
        "Add two §t values in §p",
    ),
    one_off(
        "missing-arm",
        "pub enum §T {\n    Open,\n    Closed,\n}\n\npub fn code(§t: &§T) -> u8 {\n    match §t {\n        §T::Open"
        " => 1,\n    }\n}\n",
        "pub enum §T {\n    Open,\n    Closed,\n}\n\npub fn code(§t: &§T) -> u8 {\n    match §t {\n        §T::Open"
        " => 1,\n        §T::Closed => 2,\n    }\n}\n",
        [["E0004"]],
        [["arm"]],
        "added the arm for Closed",
        "Close a §t in §p",
    ),
    one_off(
        "two-borrows",
        "pub fn grow(§f: &mut Vec<u64>) {\n    let first = &§f[0];\n    §f.push(*first);\n    drop(first);\n}\n\npub"
        " fn show(§f: &mut Vec<u64>) -> u64 {\n    let last = §f.last().unwrap();\n    §f.push(1);\n    *last\n}\n",
        "pub fn grow(§f: &mut Vec<u64>) {\n    let first = §f[0];\n    §f.push(first);\n}\n",
        [["E0502"]],
        [["copy"]],
        "copy the number out before the push",
        "Repeat the first §f in §p",
    ),
    Fault(
        "cargo-mirror-refused",
        "flake",
        BUILD,
        [["refused"]],
        [crate("pub fn §m() {}\n", **{"build.rs": PROBE})],
        Fix({}, [], []),
        ["Update the dependencies of §p", "Build §p after the weekend"],
        while_passing=lambda: listener(47811),
    ),
]
