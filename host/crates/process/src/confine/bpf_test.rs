//! The filter of each role, run by an interpreter of our own for both architectures: the verdict of each call.

use super::*;
use crate::confine::syscalls::{LAST_KNOWN_NUMBER, SYSCALL_RULES, SyscallVerdict};

/// The verdict that the kernel receives.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Allowed,
    Refused(u32),
    Killed,
}

const ROLES: [FilterRole; 3] = [FilterRole::Server, FilterRole::Worker, FilterRole::Fetcher];
const BOTH: [Arch; 2] = [Arch::X86_64, Arch::Aarch64];

/// Runs a program on a call, as the kernel does.
fn run(program: &[sock_filter], arch: u32, number: u32, arguments: [u64; 6]) -> Answer {
    let mut data = [number, arch, 0, 0].to_vec();
    data.extend(arguments.iter().flat_map(|argument| [*argument as u32, (argument >> 32) as u32]));
    let (mut at, mut loaded) = (0, 0);
    loop {
        let sock_filter { code, jt, jf, k } = program[at].clone();
        at += 1;
        let branch = |taken: bool| usize::from(if taken { jt } else { jf });
        match code {
            LOAD => loaded = data[k as usize / 4],
            JUMP => at += k as usize,
            JUMP_EQUAL => at += branch(loaded == k),
            JUMP_AT_LEAST => at += branch(loaded >= k),
            JUMP_ANY_BIT => at += branch(loaded & k != 0),
            RETURN => {
                return match k & 0xffff_0000 {
                    RET_ALLOW => Answer::Allowed,
                    RET_ERRNO => Answer::Refused(k & 0xffff),
                    RET_KILL => Answer::Killed,
                    other => panic!("{other:x}"),
                };
            }
            other => panic!("no such instruction: {other:x}"),
        }
    }
}

fn own() -> ProcessIdentity {
    ProcessIdentity { process: 4711, descriptors: vec![0, 1, 2, 5] }
}

struct Filter(Arch, Vec<sock_filter>);

impl Filter {
    fn of(role: FilterRole, arch: Arch) -> Self {
        Self(arch, assemble_filter(role, arch, &own()))
    }

    fn evaluate(&self, number: u32, arguments: [u64; 6]) -> Answer {
        run(&self.1, self.0.audit_arch(), number, arguments)
    }

    fn call(&self, name: &str, arguments: [u64; 6]) -> Answer {
        let call =
            SYSCALL_RULES.iter().find(|call| call.name == name).unwrap_or_else(|| panic!("{name} is not in the table"));
        self.evaluate(self.0.syscall_number(call), arguments)
    }
}

fn first(value: u64) -> [u64; 6] {
    [value, 0, 0, 0, 0, 0]
}

fn second(value: u64) -> [u64; 6] {
    [0, value, 0, 0, 0, 0]
}

#[test]
fn every_number_has_verdict_of_table() {
    for (role, arch) in ROLES.into_iter().flat_map(|role| BOTH.map(|arch| (role, arch))) {
        let filter = Filter::of(role, arch);
        for number in 0..=LAST_KNOWN_NUMBER + 50 {
            let listed = SYSCALL_RULES.iter().find(|call| arch.syscall_number(call) == number);
            let verdict = listed.map_or(role.default_verdict(), |call| role.verdict(call));
            let expected = match (verdict, role) {
                (SyscallVerdict::Allow, _) => Answer::Allowed,
                (SyscallVerdict::Kill, _) => Answer::Killed,
                (SyscallVerdict::AllowIf(_), _) => continue,
                (SyscallVerdict::Refuse(_), _) if number > LAST_KNOWN_NUMBER => Answer::Refused(38),
                (SyscallVerdict::Refuse(errno), _) => Answer::Refused(errno.into()),
            };
            let name = listed.map_or("unlisted", |call| call.name);
            assert_eq!(filter.evaluate(number, [0; 6]), expected, "{role:?} {arch:?} {number} {name}");
        }
    }
}

#[test]
fn numbers_are_listed_once() {
    for arch in BOTH {
        let mut numbers: Vec<u32> =
            SYSCALL_RULES.iter().map(|call| arch.syscall_number(call)).filter(|number| *number != NO_NUMBER).collect();
        let listed = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), listed, "{arch:?}");
        assert!(numbers.iter().all(|number| *number <= LAST_KNOWN_NUMBER));
    }
}

/// 32-bit programs on a 64-bit kernel, and x32 calls on x86-64: the same numbers are other calls there.
#[test]
fn other_syscall_abi_kills_process() {
    for (role, arch) in ROLES.into_iter().flat_map(|role| BOTH.map(|arch| (role, arch))) {
        let Filter(_, program) = Filter::of(role, arch);
        for audited in [0x4000_0003, 0x4000_0028, 0xc000_00f3, 0] {
            assert_eq!(run(&program, audited, 0, [0; 6]), Answer::Killed);
        }
        for number in [X32_SYSCALL_BIT, X32_SYSCALL_BIT + 1, u32::MAX] {
            assert_eq!(run(&program, arch.audit_arch(), number, [0; 6]), Answer::Killed);
        }
    }
}

#[test]
fn server_starts_threads_but_no_process() {
    const OF_THREAD: u64 = 0x3d_0f00;
    for filter in BOTH.map(|arch| Filter::of(FilterRole::Server, arch)) {
        assert_eq!(filter.call("clone", first(OF_THREAD)), Answer::Allowed);
        // fork, vfork, and threads with a namespace of their own.
        for flags in [17, 0x4111, OF_THREAD & !0x1_0000, OF_THREAD | 0x1000_0000, OF_THREAD | 0x2_0000] {
            assert_eq!(filter.call("clone", first(flags)), Answer::Refused(1), "{flags:x}");
        }
        assert_eq!(filter.call("clone3", [0; 6]), Answer::Refused(38));
        for name in ["execve", "execveat", "ptrace", "process_vm_writev", "bpf", "unshare", "mount", "keyctl", "setuid"]
        {
            assert_eq!(filter.call(name, [0; 6]), Answer::Killed, "{name}");
        }
    }
}

#[test]
fn server_verdict_depends_on_arguments() {
    let terminal_input = 0x5412;
    for filter in BOTH.map(|arch| Filter::of(FilterRole::Server, arch)) {
        let refused = Answer::Refused(1);
        assert_eq!(filter.call("tgkill", first(4711)), Answer::Allowed);
        assert_eq!(filter.call("tgkill", first(1)), refused);
        assert_eq!(filter.call("ioctl", second(0x5421)), Answer::Allowed);
        assert_eq!(filter.call("ioctl", second(0x5413)), Answer::Allowed);
        assert_eq!(filter.call("ioctl", second(terminal_input)), refused);
        // The kernel reads the low half only, and so must the filter.
        assert_eq!(filter.call("ioctl", second(0x1_0000_0000 | terminal_input)), refused);
        assert_eq!(filter.call("fcntl", second(3)), Answer::Allowed);
        for signals in [8, 10, 15, 0x402] {
            assert_eq!(filter.call("fcntl", second(signals)), refused, "{signals}");
        }
        assert_eq!(filter.call("prctl", first(15)), Answer::Allowed);
        // PR_SET_DUMPABLE, PR_SET_SECCOMP
        assert_eq!(filter.call("prctl", first(4)), refused);
        assert_eq!(filter.call("prctl", first(22)), refused);
        assert_eq!(filter.call("prlimit64", [0, 3, 0, 0xdead, 0, 0]), Answer::Allowed);
        for new in [0xdead, 0xdead_0000_0000] {
            assert_eq!(filter.call("prlimit64", [0, 3, new, 0, 0, 0]), refused, "{new:x}");
        }
        assert_eq!(filter.call("prlimit64", [1, 3, 0, 0, 0, 0]), refused);
        assert_eq!(filter.call("setsockopt", second(6)), Answer::Allowed);
        assert_eq!(filter.call("setsockopt", second(1)), refused);
        assert_eq!(filter.call("mprotect", [0, 4096, 5, 0, 0, 0]), Answer::Allowed);
    }
}

#[test]
fn worker_uses_only_own_descriptors_and_maps_no_code() {
    for filter in BOTH.map(|arch| Filter::of(FilterRole::Worker, arch)) {
        for name in ["read", "write"] {
            for own in [0, 1, 2, 5] {
                assert_eq!(filter.call(name, first(own)), Answer::Allowed, "{name} {own}");
            }
            for other in [3, 4, 6, u64::from(u32::MAX)] {
                assert_eq!(filter.call(name, first(other)), Answer::Killed, "{name} {other}");
            }
        }
        assert_eq!(filter.call("mmap", [0, 4096, 3, 0x22, u64::MAX, 0]), Answer::Allowed);
        assert_eq!(filter.call("mmap", [0, 4096, 7, 0x22, u64::MAX, 0]), Answer::Killed);
        assert_eq!(filter.call("mmap", [0, 4096, 3, 0x02, 0, 0]), Answer::Killed);
        assert_eq!(filter.call("mprotect", [0, 4096, 1, 0, 0, 0]), Answer::Allowed);
        assert_eq!(filter.call("mprotect", [0, 4096, 5, 0, 0, 0]), Answer::Killed);
        assert_eq!(filter.call("tgkill", [4711, 4711, 6, 0, 0, 0]), Answer::Allowed);
        assert_eq!(filter.call("tgkill", [4711, 4711, 9, 0, 0, 0]), Answer::Killed);
        assert_eq!(filter.call("tgkill", [1, 1, 6, 0, 0, 0]), Answer::Killed);
        for name in
            ["openat", "clone", "clone3", "execve", "fcntl", "ioctl", "prctl", "accept4", "pipe2", "dup", "wait4"]
        {
            assert_eq!(filter.call(name, [0; 6]), Answer::Killed, "{name}");
        }
        // What other roles may call, and no trace of a worker has.
        assert_eq!(filter.call("futex", [0, 129, 1, 0, 0, 0]), Answer::Allowed);
        assert_eq!(filter.call("futex", [0, 128, 1, 0, 0, 0]), Answer::Killed);
        for name in ["close", "ppoll", "madvise", "exit", "readv", "recvmsg", "sendto"] {
            assert_eq!(filter.call(name, [0; 6]), Answer::Killed, "{name}");
        }
    }
}

#[test]
fn fetcher_connects_but_neither_listens_nor_spawns_nor_writes() {
    let refused = Answer::Refused(1);
    for filter in BOTH.map(|arch| Filter::of(FilterRole::Fetcher, arch)) {
        for family in [2, 10] {
            assert_eq!(filter.call("socket", first(family)), Answer::Allowed, "{family}");
        }
        // AF_UNIX, AF_NETLINK, AF_PACKET
        for family in [0, 1, 16, 17] {
            assert_eq!(filter.call("socket", first(family)), refused, "{family}");
        }
        for name in ["connect", "setsockopt", "openat", "sendmmsg", "read"] {
            assert_eq!(filter.call(name, [0; 6]), Answer::Allowed, "{name}");
        }
        for name in ["accept4", "unlinkat", "mkdirat", "renameat2", "ftruncate", "pwrite64", "wait4", "inotify_init1"] {
            assert_eq!(filter.call(name, [0; 6]), refused, "{name}");
        }
        // bind, listen, socketpair
        for number in match filter.0 {
            Arch::X86_64 => [49, 50, 53],
            Arch::Aarch64 => [200, 201, 199],
        } {
            assert_eq!(filter.evaluate(number, [0; 6]), refused, "{number}");
        }
        for flags in [17, 0x4111] {
            assert_eq!(filter.call("clone", first(flags)), refused, "{flags:x}");
        }
        for name in ["execve", "execveat", "ptrace", "process_vm_readv", "keyctl", "unshare"] {
            assert_eq!(filter.call(name, [0; 6]), Answer::Killed, "{name}");
        }
    }
}

/// Without descriptors no descriptor is allowed.
#[test]
fn worker_without_descriptors_uses_none() {
    let program = assemble_filter(FilterRole::Worker, Arch::X86_64, &ProcessIdentity::default());
    for descriptor in [0, 1, 2, 3] {
        assert_eq!(run(&program, Arch::X86_64.audit_arch(), 0, first(descriptor)), Answer::Killed);
    }
}

/// The kernel takes at most 4096 instructions, and translates them whenever a process starts.
#[test]
fn filter_is_short() {
    for (role, most) in [(FilterRole::Server, 250), (FilterRole::Worker, 100), (FilterRole::Fetcher, 250)] {
        for arch in BOTH {
            let program = assemble_filter(role, arch, &own());
            assert!(program.len() < most, "{role:?} {}", program.len());
        }
    }
}

/// A verdict that is far away gets an instruction of its own, and a place that is far away a jump.
#[test]
fn long_program_jumps_in_steps() {
    let mut code = ReversedCode(Vec::new());
    let (far, mut next) = (code.return_verdict(RET_ERRNO | 7), code.return_verdict(RET_KILL));
    for number in (1..1000).rev() {
        let verdict = code.return_verdict(RET_ERRNO | number);
        next = code.branch(JUMP_EQUAL, number, verdict, next);
    }
    let next = code.branch(JUMP_EQUAL, 0, far, next);
    code.load(DATA_NUMBER, next);
    code.0.reverse();
    for (number, expected) in [(0, 7), (1, 1), (7, 7), (500, 500), (999, 999)] {
        assert_eq!(run(&code.0, 0, number, [0; 6]), Answer::Refused(expected));
    }
    assert_eq!(run(&code.0, 0, 1000, [0; 6]), Answer::Killed);
}
