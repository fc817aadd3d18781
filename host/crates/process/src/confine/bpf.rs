//! The seccomp filter as a BPF program, which the kernel runs before each system call.
//!
//! Owns: its assembly. Numbers are found by binary search, so that the cost of a call does not grow with the table.
//! Where only the number counts, nothing else is loaded, so that the kernel can answer from a bitmap (since Linux
//! 5.11).
//! Never: decides which calls are allowed (see `syscalls.rs`).

use seccompiler::sock_filter;

use super::syscalls::{
    ArgumentTest, ENOSYS, EPERM, LAST_KNOWN_NUMBER, NO_NUMBER, SYSCALL_RULES, SyscallRule, SyscallVerdict,
    X32_SYSCALL_BIT,
};

/// The process that a filter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterRole {
    Server,
    Worker,
    /// The helper that makes HTTP requests for a server.
    Fetcher,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arch {
    #[cfg_attr(not(any(target_arch = "x86_64", test)), expect(dead_code, reason = "of another architecture"))]
    X86_64,
    #[cfg_attr(not(any(target_arch = "aarch64", test)), expect(dead_code, reason = "of another architecture"))]
    Aarch64,
}

/// Properties of the process that are known only at run time.
#[derive(Debug, Default)]
pub(super) struct ProcessIdentity {
    pub(super) process: u32,
    /// Descriptors that a worker may use.
    pub(super) descriptors: Vec<u32>,
}

impl Arch {
    /// The architecture of this build, if the table has it.
    pub(super) const fn current() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return Some(Self::X86_64);
        #[cfg(target_arch = "aarch64")]
        return Some(Self::Aarch64);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        return None;
    }

    /// The kernel's constant for it in the data of a call.
    const fn audit_arch(self) -> u32 {
        match self {
            Self::X86_64 => 0xc000_003e,
            Self::Aarch64 => 0xc000_00b7,
        }
    }

    const fn syscall_number(self, call: &SyscallRule) -> u32 {
        let [x86_64, aarch64] = call.numbers;
        match self {
            Self::X86_64 => x86_64,
            Self::Aarch64 => aarch64,
        }
    }
}

impl FilterRole {
    const fn verdict(self, call: &SyscallRule) -> SyscallVerdict {
        match self {
            Self::Server => call.server,
            Self::Worker => call.worker,
            Self::Fetcher => call.fetcher,
        }
    }

    /// The verdict for known calls that are not in the table.
    const fn default_verdict(self) -> SyscallVerdict {
        match self {
            Self::Server | Self::Fetcher => SyscallVerdict::Refuse(EPERM),
            Self::Worker => SyscallVerdict::Kill,
        }
    }

    /// The verdict for calls that are newer than the table.
    const fn unknown_verdict(self) -> SyscallVerdict {
        match self {
            Self::Server | Self::Fetcher => SyscallVerdict::Refuse(ENOSYS),
            Self::Worker => SyscallVerdict::Kill,
        }
    }
}

/// Assembles the whole program.
pub(super) fn assemble_filter(role: FilterRole, arch: Arch, own: &ProcessIdentity) -> Vec<sock_filter> {
    let mut code =
        vec![load(DATA_ARCH), jump(JUMP_EQUAL, arch.audit_arch(), 1, 0), return_verdict(RET_KILL), load(DATA_NUMBER)];
    code.extend(emit_search(&verdict_ranges(role, arch), role, own));
    code
}

/// The first number of a range, which extends to the next range.
type VerdictRange = (u32, SyscallVerdict);

/// All numbers as ranges of one verdict each.
fn verdict_ranges(role: FilterRole, arch: Arch) -> Vec<VerdictRange> {
    let listed = SYSCALL_RULES
        .iter()
        .map(|call| (arch.syscall_number(call), role.verdict(call)))
        .filter(|(number, _)| *number != NO_NUMBER);
    let mut listed: Vec<VerdictRange> = listed.collect();
    listed.sort_unstable_by_key(|(number, _)| *number);
    let mut ranges: Vec<VerdictRange> = Vec::with_capacity(2 * listed.len());
    let mut add = |from, verdict| {
        if ranges.last().is_none_or(|(_, last)| *last != verdict) {
            ranges.push((from, verdict));
        }
    };
    let mut next = 0;
    for (number, verdict) in listed {
        if next < number {
            add(next, role.default_verdict());
        }
        add(number, verdict);
        next = number + 1;
    }
    add(next, role.default_verdict());
    add(LAST_KNOWN_NUMBER + 1, role.unknown_verdict());
    add(X32_SYSCALL_BIT, SyscallVerdict::Kill);
    ranges
}

/// Emits the search for the range of the loaded number.
fn emit_search(ranges: &[VerdictRange], role: FilterRole, own: &ProcessIdentity) -> Vec<sock_filter> {
    let (below, above) = ranges.split_at(ranges.len() / 2);
    match (below, above) {
        ([], [(_, verdict), ..]) => emit_verdict(*verdict, role, own),
        (_, [(from, _), ..]) => {
            let (left, right) = (emit_search(below, role, own), emit_search(above, role, own));
            let mut code = match u8::try_from(left.len()) {
                Ok(left) => vec![jump(JUMP_AT_LEAST, *from, left, 0)],
                // The offset is too large for a conditional jump.
                Err(_) => vec![jump(JUMP_AT_LEAST, *from, 0, 1), instruction(JUMP, code_len(&left))],
            };
            code.extend(left);
            code.extend(right);
            code
        }
        (_, []) => Vec::new(),
    }
}

fn emit_verdict(verdict: SyscallVerdict, role: FilterRole, own: &ProcessIdentity) -> Vec<sock_filter> {
    match verdict {
        SyscallVerdict::Allow => vec![return_verdict(RET_ALLOW)],
        SyscallVerdict::Refuse(errno) => vec![return_verdict(RET_ERRNO | u32::from(errno))],
        SyscallVerdict::Kill => vec![return_verdict(RET_KILL)],
        SyscallVerdict::AllowIf(tests) => {
            // Assembled backwards: each test contains its distance to the end of all tests.
            let mut code = vec![return_verdict(RET_ALLOW)];
            for test in tests.iter().rev() {
                let mut tested = emit_test(*test, own, code.len());
                tested.append(&mut code);
                code = tested;
            }
            code.extend(emit_verdict(role.default_verdict(), role, own));
            code
        }
    }
}

/// Emits one test, before `rest` instructions that run when it holds. The verdict for failure follows them.
fn emit_test(test: ArgumentTest, own: &ProcessIdentity, rest: usize) -> Vec<sock_filter> {
    let fail = |following: usize| u8::try_from(rest + following).unwrap_or(u8::MAX);
    let one_of = |place, values: &[u32]| {
        let mut code = vec![load(argument_offset(place))];
        // Without values no argument matches.
        let last = values.len().saturating_sub(1);
        let values = if values.is_empty() { &[NO_NUMBER] } else { values };
        code.extend(values.iter().enumerate().map(|(at, value)| {
            let behind = last - at;
            let to_end = u8::try_from(behind).unwrap_or(u8::MAX);
            jump(JUMP_EQUAL, *value, to_end, if behind == 0 { fail(0) } else { 0 })
        }));
        code
    };
    match test {
        ArgumentTest::Is(place, values) => one_of(place, values),
        ArgumentTest::OwnProcess(place) => one_of(place, &[own.process]),
        ArgumentTest::OwnDescriptor(place) => one_of(place, &own.descriptors),
        ArgumentTest::IsNot(place, values) => {
            let mut code = vec![load(argument_offset(place))];
            let last = values.len().saturating_sub(1);
            code.extend(values.iter().enumerate().map(|(at, value)| jump(JUMP_EQUAL, *value, fail(last - at), 0)));
            code
        }
        ArgumentTest::Has(place, bits) => vec![load(argument_offset(place)), jump(JUMP_ANY_BIT, bits, 0, fail(0))],
        ArgumentTest::Lacks(place, bits) => vec![load(argument_offset(place)), jump(JUMP_ANY_BIT, bits, fail(0), 0)],
        ArgumentTest::Null(place) => vec![
            load(argument_offset(place)),
            jump(JUMP_EQUAL, 0, 0, fail(2)),
            load(argument_offset(place) + 4),
            jump(JUMP_EQUAL, 0, 0, fail(0)),
        ],
    }
}

// Classic BPF and the layout of `seccomp_data`: both are parts of the kernel's interface.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;
const RET_ALLOW: u32 = 0x7fff_0000;
const RET_ERRNO: u32 = 0x0005_0000;
const RET_KILL: u32 = 0x8000_0000;
const DATA_NUMBER: u32 = 0;
const DATA_ARCH: u32 = 4;
const DATA_ARGUMENTS: u32 = 16;

/// The offset of an argument's low half; both architectures are little endian.
fn argument_offset(place: u8) -> u32 {
    DATA_ARGUMENTS + 8 * u32::from(place)
}

fn code_len(code: &[sock_filter]) -> u32 {
    u32::try_from(code.len()).unwrap_or(u32::MAX)
}

fn instruction(code: u16, k: u32) -> sock_filter {
    jump(code, k, 0, 0)
}

fn load(at: u32) -> sock_filter {
    instruction(LOAD, at)
}

fn return_verdict(verdict: u32) -> sock_filter {
    instruction(RETURN, verdict)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
#[path = "bpf_test.rs"]
mod tests;
