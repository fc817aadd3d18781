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
    let mut code = ReversedCode(Vec::new());
    let search = code.emit_search(&verdict_ranges(role, arch), role, own);
    let search = code.begin_at(search);
    let number = code.load(DATA_NUMBER, search);
    let kill = code.return_verdict(RET_KILL);
    let is_arch = code.branch(JUMP_EQUAL, arch.audit_arch(), number, kill);
    code.load(DATA_ARCH, is_arch);
    code.0.reverse();
    code.0
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

/// A program from its end to its beginning. A jump leads forwards, and so to what was emitted before it: all ways to a verdict
/// share its instruction. The kernel translates each filter that a process installs, so that its length is time of a start.
struct ReversedCode(Vec<sock_filter>);

/// A place in a program: the number of instructions from there to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label(usize);

impl ReversedCode {
    /// Emits the search for the range of the loaded number.
    fn emit_search(&mut self, ranges: &[VerdictRange], role: FilterRole, own: &ProcessIdentity) -> Label {
        let (below, above) = ranges.split_at(ranges.len() / 2);
        match (below, above) {
            ([], [(_, verdict), ..]) => self.emit_verdict(*verdict, role, own),
            (_, [(from, _), ..]) => {
                let above = self.emit_search(above, role, own);
                let below = self.emit_search(below, role, own);
                self.branch(JUMP_AT_LEAST, *from, above, below)
            }
            (_, []) => self.return_verdict(RET_KILL),
        }
    }

    fn emit_verdict(&mut self, verdict: SyscallVerdict, role: FilterRole, own: &ProcessIdentity) -> Label {
        match verdict {
            SyscallVerdict::Allow => self.return_verdict(RET_ALLOW),
            SyscallVerdict::Refuse(errno) => self.return_verdict(RET_ERRNO | u32::from(errno)),
            SyscallVerdict::Kill => self.return_verdict(RET_KILL),
            SyscallVerdict::AllowIf(tests) => {
                let fails = self.emit_verdict(role.default_verdict(), role, own);
                let allowed = self.return_verdict(RET_ALLOW);
                tests.iter().rev().fold(allowed, |holds, test| self.emit_test(*test, own, holds, fails))
            }
        }
    }

    /// Emits one test, and the ways on.
    fn emit_test(&mut self, test: ArgumentTest, own: &ProcessIdentity, holds: Label, fails: Label) -> Label {
        match test {
            ArgumentTest::Is(place, values) => self.emit_any_of(place, values, holds, fails),
            ArgumentTest::IsNot(place, values) => self.emit_any_of(place, values, fails, holds),
            ArgumentTest::OwnProcess(place) => self.emit_any_of(place, &[own.process], holds, fails),
            ArgumentTest::OwnDescriptor(place) => self.emit_any_of(place, &own.descriptors, holds, fails),
            ArgumentTest::Has(place, bits) => self.emit_any_bit(place, bits, holds, fails),
            ArgumentTest::Lacks(place, bits) => self.emit_any_bit(place, bits, fails, holds),
            ArgumentTest::Null(place) => {
                let high = self.branch(JUMP_EQUAL, 0, holds, fails);
                let high = self.load(argument_offset(place) + 4, high);
                let low = self.branch(JUMP_EQUAL, 0, high, fails);
                self.load(argument_offset(place), low)
            }
        }
    }

    /// Emits a test whether an argument is one of some values. Without values it is none of them.
    fn emit_any_of(&mut self, place: u8, values: &[u32], is_one: Label, is_none: Label) -> Label {
        let tests = values.iter().rev().fold(is_none, |other, value| self.branch(JUMP_EQUAL, *value, is_one, other));
        let tests = self.begin_at(tests);
        self.load(argument_offset(place), tests)
    }

    fn emit_any_bit(&mut self, place: u8, bits: u32, has_one: Label, has_none: Label) -> Label {
        let test = self.branch(JUMP_ANY_BIT, bits, has_one, has_none);
        self.load(argument_offset(place), test)
    }

    /// Emits a conditional jump.
    fn branch(&mut self, code: u16, k: u32, if_true: Label, if_false: Label) -> Label {
        let (if_true, if_false) = (self.within_reach(if_true), self.within_reach(if_false));
        let distance = |to| u8::try_from(self.distance(to)).unwrap_or(u8::MAX);
        self.push(sock_filter { code, jt: distance(if_true), jf: distance(if_false), k })
    }

    /// Emits a load before `next`, which was emitted last.
    fn load(&mut self, at: u32, next: Label) -> Label {
        debug_assert_eq!(self.distance(next), 0, "a load goes on to the next instruction");
        self.push(instruction(LOAD, at))
    }

    /// Returns the nearest instruction with a verdict; emits one unless it is near.
    fn return_verdict(&mut self, verdict: u32) -> Label {
        let near = self.0.iter().enumerate().rev().take(MAX_BRANCH_DISTANCE / 2);
        let mut near = near.filter(|(_, known)| (known.code, known.k) == (RETURN, verdict));
        near.next().map(|(at, _)| Label(at + 1)).unwrap_or_else(|| self.push(instruction(RETURN, verdict)))
    }

    /// Returns `label`, or a jump to it where a conditional jump does not lead so far, once one more instruction is between them.
    fn within_reach(&mut self, label: Label) -> Label {
        if self.distance(label) < MAX_BRANCH_DISTANCE { label } else { self.jump(label) }
    }

    /// Makes `label` the instruction that was emitted last.
    fn begin_at(&mut self, label: Label) -> Label {
        if self.distance(label) == 0 { label } else { self.jump(label) }
    }

    fn jump(&mut self, label: Label) -> Label {
        let distance = u32::try_from(self.distance(label)).unwrap_or(u32::MAX);
        self.push(instruction(JUMP, distance))
    }

    /// The number of instructions that a jump skips which is emitted now.
    fn distance(&self, label: Label) -> usize {
        self.0.len().saturating_sub(label.0)
    }

    fn push(&mut self, instruction: sock_filter) -> Label {
        self.0.push(instruction);
        Label(self.0.len())
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
/// The instructions that a conditional jump skips at most.
const MAX_BRANCH_DISTANCE: usize = 255;

/// The offset of an argument's low half; both architectures are little endian.
fn argument_offset(place: u8) -> u32 {
    DATA_ARGUMENTS + 8 * u32::from(place)
}

fn instruction(code: u16, k: u32) -> sock_filter {
    sock_filter { code, jt: 0, jf: 0, k }
}

#[cfg(test)]
#[path = "bpf_test.rs"]
mod tests;
