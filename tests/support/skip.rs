//! Tests that need something of the machine.
//!
//! Owns: how a test says that it is skipped, and where it must not be.
//! Never: skips in silence.

use std::io::Write;

/// The variable by which an environment says that the kernel has every wall. Continuous integration sets it.
const EXPECT_WALLS: &str = "WARDROOM_EXPECT_WALLS";

/// Says aloud that the running test is skipped: what tests print by a macro is shown only where they fail.
pub fn skip(reason: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    std::io::stderr().write_all(format!("skipped {test}: {reason}\n").as_bytes()).unwrap();
}

/// Skips a test of a wall that the kernel lacks.
///
/// # Panics
/// Where the environment says that walls are expected.
pub fn skip_without_wall(wall: &str) {
    assert!(std::env::var_os(EXPECT_WALLS).is_none(), "{EXPECT_WALLS} is set, and this kernel lacks {wall}");
    skip(&format!("this kernel lacks {wall}"));
}

/// Returns the kernel's version of Landlock, if it is at least `minimum`; else skips the test.
///
/// # Panics
/// Where the environment says that walls are expected.
#[cfg(target_os = "linux")]
pub fn landlock_or_skip(minimum: u32) -> Option<u32> {
    let version = super::landlock::landlock_abi_version().filter(|version| *version >= minimum);
    if version.is_none() {
        skip_without_wall(&format!("Landlock of version {minimum}"));
    }
    version
}
