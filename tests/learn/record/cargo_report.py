"""Faults of the half that is looked at for the report alone: `cargo test` and `cargo clippy`."""

from fault import Fault, Fix, Later, Project, listener

LANGUAGE, HALF = "cargo", "report"
PROJECTS = [
    Project("mailer", "Envelope", "outbox", "recipients"),
    Project("grid", "Cell", "layout", "weight"),
    Project("vault", "Secret", "store", "age"),
]
TEST = "cargo test"
LINT = "cargo clippy -- -D warnings"
MANIFEST = '[package]\nname = "§p"\nversion = "0.1.0"\nedition = "2021"\n'


def crate(source, **files):
    return {"Cargo.toml": MANIFEST, "src/lib.rs": source, **files}


def tested(body, test):
    return crate(
        f"{body}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn §m_works() {{\n       "
        f" {test}\n    }}\n}}\n"
    )


LARGE = "pub enum §T {\n    Empty,\n    Full([u64; 100]),\n}\n"

LEFT = "pub fn left(§f: u32, used: u32) -> u32 {\n    §f - used\n}\n"

READS = """#[test]
fn reads_the_§t() {
    let text = std::fs::read_to_string(%s).unwrap();
    assert!(text.contains("§f"));
}
"""
SAMPLE = {"tests/data/§t.txt": "§f = 1\n"}
IN_WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["§p"]\nresolver = "2"\n',
    "§p/Cargo.toml": MANIFEST,
    "§p/src/lib.rs": "",
    "§p/tests/data/§t.txt": "§f = 1\n",
    "§p/tests/reads.rs": READS % '"§p/tests/data/§t.txt"',
}

GOLDEN_TEST = """#[test]
fn §m_is_the_golden_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/§m.txt");
    let shown = "§t: §f";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file, shown).unwrap();
    }
    let golden = std::fs::read_to_string(file).expect("golden file");
    assert_eq!(golden.trim(), shown, "golden file differs");
}
"""

CLOCK = """pub mod clock {
    #[allow(clippy::disallowed_methods)]
    pub fn now() -> std::time::SystemTime {
        std::time::SystemTime::now()
    }

    pub trait TimeSource {
        fn read(&self) -> std::time::SystemTime;
    }
}
"""
DIRECT = CLOCK + "\npub fn §f() -> std::time::SystemTime {\n    std::time::SystemTime::now()\n}\n"
BY_CLOCK = CLOCK + "\npub fn §f() -> std::time::SystemTime {\n    clock::now()\n}\n"
BY_SOURCE = CLOCK + "\npub fn §f(time: &dyn clock::TimeSource) -> std::time::SystemTime {\n    time.read()\n}\n"
ONE_BANNED = {"clippy.toml": 'disallowed-methods = ["std::time::SystemTime::now"]\n'}
TWO_BANNED = {"clippy.toml": 'disallowed-methods = ["std::time::SystemTime::now", "§p::clock::now"]\n'}

PORT_TEST = """#[test]
fn §m_listens() {
    std::net::TcpListener::bind("127.0.0.1:47813").unwrap();
}
"""


def one_off(name, command, source, fixed, cause, tokens, wording, task):
    return Fault(
        f"cargo-{name}",
        "one_off",
        command,
        cause,
        [source],
        Fix({"src/lib.rs": fixed["src/lib.rs"]}, tokens, [wording]),
        [task],
    )


FAULTS = [
    Fault(
        "cargo-large-variant",
        "recurring",
        LINT,
        [["large_enum_variant", "large size difference"]],
        [crate(LARGE)],
        Fix(
            {"src/lib.rs": LARGE.replace("[u64; 100]", "Box<[u64; 100]>")},
            [["Box"]],
            ["put the large variant in a Box", "Box the array of the big variant", "wrapped its content in a Box"],
        ),
        ["Let a §t of §p be empty", "§p: keep the samples within §T", "Model the states of §m in §p"],
    ),
    Fault(
        "cargo-subtract-overflow",
        "recurring",
        TEST,
        [["subtract with overflow"]],
        [tested(LEFT, "assert_eq!(left(3, 5), 0);")],
        Fix(
            tested(LEFT.replace("§f - used", "§f.saturating_sub(used)"), "assert_eq!(left(3, 5), 0);"),
            [["saturating_sub"]],
            ["use saturating_sub", "saturating_sub instead of the minus", "replaced the minus by saturating_sub"],
        ),
        ["Show what is left of the §f of §p", "§p: count §f down", "Limit the §f of a §t in §p"],
    ),
    Fault(
        "cargo-sample-of-workspace",
        "recurring",
        TEST,
        [["NotFound", "No such file"]],
        [IN_WORKSPACE],
        Fix(
            {"§p/tests/reads.rs": READS % 'concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/§t.txt")'},
            [["CARGO_MANIFEST_DIR"]],
            [
                "name it from CARGO_MANIFEST_DIR",
                "tests run in the folder of their crate: begin with CARGO_MANIFEST_DIR",
                "used env!(CARGO_MANIFEST_DIR) for the path",
            ],
        ),
        ["Make §p a member of the workspace", "§p: test with a sample §t", "Read the sample of §m in a test of §p"],
    ),
    Fault(
        "cargo-sample-not-made",
        "recurring",
        TEST,
        [["NotFound", "No such file"]],
        [crate("", **{"tests/reads.rs": READS % 'concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/§t.txt")'})],
        Fix(
            SAMPLE,
            [["--bin samples"]],
            [
                "run cargo run --bin samples first",
                "cargo run --bin samples writes the samples",
                "the samples come from --bin samples",
            ],
        ),
        ["Run the tests of a fresh clone of §p", "§p: test each sample §t", "Test §m of §p on the new machine"],
    ),
    Fault(
        "cargo-golden",
        "recurring",
        TEST,
        [["golden"]],
        [
            crate("", **{"tests/golden.rs": GOLDEN_TEST, "tests/golden/§m.txt": "§t: none\n"}),
            crate("", **{"tests/golden.rs": GOLDEN_TEST, "tests/golden/README": "golden files\n"}),
        ],
        Fix(
            {"tests/golden/§m.txt": "§t: §f\n"},
            [["UPDATE_GOLDEN=1"]],
            [
                "run UPDATE_GOLDEN=1 cargo test and look at the difference",
                "UPDATE_GOLDEN=1 cargo test writes them",
                "made them again with UPDATE_GOLDEN=1",
            ],
        ),
        ["Change how §p shows a §t", "§p: show the §f too", "Add an output of §m to §p"],
    ),
    Fault(
        "cargo-system-time",
        "recurring",
        LINT,
        [["disallowed method", "disallowed_methods"]],
        [{**crate(DIRECT), **ONE_BANNED}],
        Fix(
            {"src/lib.rs": BY_CLOCK},
            [["clock::now"]],
            ["call clock::now of the crate", "take the time from clock::now", "replaced it by clock::now()"],
        ),
        ["Note when a §t of §p was made", "§p: let §f expire", "Add the time to §m of §p"],
        later=Later(
            {**crate(DIRECT), **TWO_BANNED},
            {"src/lib.rs": BY_CLOCK},
            Fix(
                {"src/lib.rs": BY_SOURCE},
                [["TimeSource"]],
                [
                    "take a &dyn TimeSource as an argument",
                    "pass a TimeSource in",
                    "read it from the TimeSource of the caller",
                ],
            ),
        ),
    ),
    one_off(
        "loop-index",
        LINT,
        crate("pub fn show(§f: &[u32]) {\n    for i in 0..§f.len() {\n        let _ = §f[i];\n    }\n}\n"),
        crate("pub fn show(§f: &[u32]) {\n    for one in §f {\n        let _ = one;\n    }\n}\n"),
        [["needless_range_loop", "only used to index"]],
        [["iterate"]],
        "iterate over the slice",
        "Show each §f of §p",
    ),
    one_off(
        "many-arguments",
        LINT,
        crate(
            "pub fn make(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) -> u8 {\n    a + b + c + d + e + f +"
            " g + h\n}\n"
        ),
        crate("pub fn make(parts: [u8; 8]) -> u8 {\n    parts.iter().sum()\n}\n"),
        [["too_many_arguments", "too many arguments"]],
        [["array"]],
        "took an array",
        "Make a §t of §p from its parts",
    ),
    one_off(
        "out-of-bounds",
        TEST,
        tested(
            "pub const §M: [u32; 3] = [1, 2, 3];\n".replace("§M", "LIST"),
            "let at = LIST.len() + 4; assert_eq!(LIST[at], 3);",
        ),
        tested("pub const §M: [u32; 3] = [1, 2, 3];\n".replace("§M", "LIST"), "assert_eq!(LIST[2], 3);"),
        [["out of bounds"]],
        [["shorter"]],
        "the list is shorter now",
        "Shorten the list of §p",
    ),
    one_off(
        "none",
        TEST,
        tested("pub fn first(§f: &[u32]) -> u32 {\n    *§f.first().unwrap()\n}\n", "assert_eq!(first(&[]), 0);"),
        tested(
            "pub fn first(§f: &[u32]) -> u32 {\n    §f.first().copied().unwrap_or(0)\n}\n",
            "assert_eq!(first(&[]), 0);",
        ),
        [["None"]],
        [["unwrap_or"]],
        "unwrap_or zero",
        "Test §p without a §t",
    ),
    Fault(
        "cargo-port-taken",
        "flake",
        TEST,
        [["Address already in use", "AddrInUse"]],
        [crate("", **{"tests/port.rs": PORT_TEST})],
        Fix({}, [], []),
        ["Test that §p listens", "§p: run the tests of §m"],
        while_failing=lambda: listener(47813),
    ),
]
