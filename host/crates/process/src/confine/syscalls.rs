//! The system calls of each role (server, worker, fetcher): those that are allowed, and the verdict on the others.
//!
//! Owns: the table, which is an allow-list. A call that is not in it is refused with `EPERM` to a server and a fetcher,
//! and kills a worker.
//! Never: assembles a filter (see `bpf.rs`).

use self::ArgumentTest::{Has, Is, IsNot, Lacks, Null, OwnDescriptor, OwnProcess};
use self::SyscallVerdict::{Allow, AllowIf, Kill, Refuse};

/// The verdict on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyscallVerdict {
    Allow,
    /// The call fails with an error number, and the process continues.
    Refuse(u16),
    /// The process is killed.
    Kill,
    /// Allowed when all tests hold, else treated like a call that is not in the table.
    AllowIf(&'static [ArgumentTest]),
}

/// A test of an argument, by its index. Where the kernel reads 32 bits, so does the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentTest {
    Is(u8, &'static [u32]),
    IsNot(u8, &'static [u32]),
    Has(u8, u32),
    /// None of these bits is set.
    Lacks(u8, u32),
    /// A null pointer.
    Null(u8),
    /// The id of this process.
    OwnProcess(u8),
    /// A descriptor that a worker may use.
    OwnDescriptor(u8),
}

pub(super) struct SyscallRule {
    /// For readers of the table.
    #[cfg_attr(not(test), expect(dead_code, reason = "says what the numbers mean"))]
    pub(super) name: &'static str,
    /// On x86-64 and AArch64.
    pub(super) numbers: [u32; 2],
    pub(super) server: SyscallVerdict,
    pub(super) worker: SyscallVerdict,
    pub(super) fetcher: SyscallVerdict,
}

/// The number of a call that the architecture does not have.
pub(super) const NO_NUMBER: u32 = u32::MAX;

/// The greatest number known when this table was made. A newer call fails as if the kernel did not have it, since the C
/// library then falls back.
pub(super) const LAST_KNOWN_NUMBER: u32 = 450;
/// From this bit on numbers belong to the x32 ABI, which has the same architecture constant and other numbers.
pub(super) const X32_SYSCALL_BIT: u32 = 0x4000_0000;

pub(super) const EPERM: u16 = 1;
pub(super) const ENOSYS: u16 = 38;

const SIGABRT: u32 = 6;
/// `FUTEX_WAKE`, and the same for threads of one process.
const FUTEX_WAKES: &[u32] = &[1, 129];
const PROT_EXEC: u32 = 4;
const MAP_ANONYMOUS: u32 = 0x20;
const CLONE_THREAD: u32 = 0x0001_0000;
/// All flags that create a namespace.
const CLONE_NEW_NAMESPACES: u32 = 0x7e02_0000;
const IPPROTO_TCP: u32 = 6;
/// `AF_INET` and `AF_INET6`.
const INTERNET_FAMILIES: &[u32] = &[2, 10];
/// Commands that set the receiver and the number of signals for a descriptor: `F_SETOWN`, `F_SETSIG`, `F_SETOWN_EX`,
/// `F_SETLEASE`, `F_NOTIFY`.
const FCNTL_SIGNAL_COMMANDS: &[u32] = &[8, 10, 15, 0x400, 0x402];
/// `FIONBIO`, `FIONREAD`, `FIOCLEX`, and those that detect a terminal and its width: `TCGETS`, `TCGETS2`, `TIOCGWINSZ`.
/// Not `TIOCSTI`, which types for the user.
const ALLOWED_IOCTLS: &[u32] = &[0x5421, 0x541b, 0x5451, 0x5401, 0x802c_542a, 0x5413];
/// `PR_SET_NAME`, `PR_GET_NAME`, `PR_SET_VMA`: names of threads and memory.
const ALLOWED_PRCTLS: &[u32] = &[15, 16, 0x5356_4d41];

/// Allowed for all roles.
const fn allow_all(name: &'static str, x86_64: u32, aarch64: u32) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: Allow, worker: Allow, fetcher: Allow }
}

/// Allowed for all roles; for a worker with its own descriptors only.
const fn own_descriptor(name: &'static str, x86_64: u32, aarch64: u32) -> SyscallRule {
    SyscallRule {
        name,
        numbers: [x86_64, aarch64],
        server: Allow,
        worker: AllowIf(&[OwnDescriptor(0)]),
        fetcher: Allow,
    }
}

/// Allowed for a server and a fetcher; kills a worker.
const fn server_and_fetcher(name: &'static str, x86_64: u32, aarch64: u32) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: Allow, worker: Kill, fetcher: Allow }
}

/// Allowed for a server only.
const fn server_only(name: &'static str, x86_64: u32, aarch64: u32) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: Allow, worker: Kill, fetcher: Refuse(EPERM) }
}

/// Only for a fetcher, with this verdict.
const fn fetcher_only(name: &'static str, x86_64: u32, aarch64: u32, verdict: SyscallVerdict) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: Refuse(EPERM), worker: Kill, fetcher: verdict }
}

/// Allowed for a server and a fetcher if all tests hold; kills a worker.
const fn server_and_fetcher_if(
    name: &'static str,
    x86_64: u32,
    aarch64: u32,
    tests: &'static [ArgumentTest],
) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: AllowIf(tests), worker: Kill, fetcher: AllowIf(tests) }
}

/// Kills all roles.
const fn kill_all(name: &'static str, x86_64: u32, aarch64: u32) -> SyscallRule {
    SyscallRule { name, numbers: [x86_64, aarch64], server: Kill, worker: Kill, fetcher: Kill }
}

/// Numbers are those of Linux's headers.
pub(super) const SYSCALL_RULES: &[SyscallRule] = &[
    // Calls that all roles make. Traces of workers (glibc and musl; undisturbed, stopped, continued and frozen) contain these, and
    // those for their own descriptors and memory below.
    allow_all("munmap", 11, 215),
    allow_all("mremap", 25, 216),
    allow_all("brk", 12, 214),
    allow_all("rt_sigprocmask", 14, 135),
    allow_all("sigaltstack", 131, 132),
    allow_all("exit_group", 231, 94),
    allow_all("getrandom", 318, 278),
    allow_all("sched_yield", 24, 124),
    // An abort, as of a failed allocation: a worker that dies by another signal counts as taken over.
    allow_all("rt_sigaction", 13, 134),
    allow_all("getpid", 39, 172),
    allow_all("gettid", 186, 178),
    // Calls that a worker makes with its own descriptors only, the other roles with any.
    own_descriptor("read", 0, 63),
    own_descriptor("write", 1, 64),
    // Calls for threads, signals and waiting. A worker has one thread and one socket, and makes none of them.
    server_and_fetcher("madvise", 28, 233),
    server_and_fetcher("rt_sigreturn", 15, 139),
    server_and_fetcher("exit", 60, 93),
    server_and_fetcher("poll", 7, NO_NUMBER),
    server_and_fetcher("ppoll", 271, 73),
    server_and_fetcher("close", 3, 57),
    server_and_fetcher("restart_syscall", 219, 128),
    // Calls on open descriptors.
    server_and_fetcher("readv", 19, 65),
    server_and_fetcher("writev", 20, 66),
    server_and_fetcher("recvfrom", 45, 207),
    server_and_fetcher("sendto", 44, 206),
    server_and_fetcher("recvmsg", 47, 212),
    server_and_fetcher("sendmsg", 46, 211),
    server_and_fetcher("pread64", 17, 67),
    server_only("pwrite64", 18, 68),
    server_only("preadv", 295, 69),
    server_only("pwritev", 296, 70),
    server_only("preadv2", 327, 286),
    server_only("pwritev2", 328, 287),
    server_and_fetcher("lseek", 8, 62),
    server_and_fetcher("close_range", 436, 436),
    server_and_fetcher("dup", 32, 23),
    server_and_fetcher("dup2", 33, NO_NUMBER),
    server_and_fetcher("dup3", 292, 24),
    server_and_fetcher("fstat", 5, 80),
    server_and_fetcher("fstatfs", 138, 44),
    server_and_fetcher("getdents64", 217, 61),
    server_only("ftruncate", 77, 46),
    server_only("fallocate", 285, 47),
    server_only("fsync", 74, 82),
    server_only("fdatasync", 75, 83),
    server_only("sync_file_range", 277, 84),
    server_only("flock", 73, 32),
    server_only("fadvise64", 221, 223),
    server_only("copy_file_range", 326, 285),
    server_only("sendfile", 40, 71),
    // Calls that take names: Landlock and directory handles restrict their targets.
    server_and_fetcher("open", 2, NO_NUMBER),
    server_and_fetcher("openat", 257, 56),
    server_and_fetcher("openat2", 437, 437),
    server_and_fetcher("stat", 4, NO_NUMBER),
    server_and_fetcher("lstat", 6, NO_NUMBER),
    server_and_fetcher("newfstatat", 262, 79),
    server_and_fetcher("statx", 332, 291),
    server_only("statfs", 137, 43),
    server_and_fetcher("readlink", 89, NO_NUMBER),
    server_and_fetcher("readlinkat", 267, 78),
    server_and_fetcher("access", 21, NO_NUMBER),
    server_and_fetcher("faccessat", 269, 48),
    server_and_fetcher("faccessat2", 439, 439),
    server_only("unlink", 87, NO_NUMBER),
    server_only("unlinkat", 263, 35),
    server_only("rename", 82, NO_NUMBER),
    server_only("renameat", 264, 38),
    server_only("renameat2", 316, 276),
    server_only("link", 86, NO_NUMBER),
    server_only("linkat", 265, 37),
    server_only("mkdir", 83, NO_NUMBER),
    server_only("mkdirat", 258, 34),
    server_only("rmdir", 84, NO_NUMBER),
    server_and_fetcher("getcwd", 79, 17),
    // Memory. `memfd_create` holds the initial memory of guests; none of it can be executed.
    server_only("memfd_create", 319, 279),
    server_only("msync", 26, 227),
    server_and_fetcher("membarrier", 324, 283),
    // Threads, time and identity.
    server_and_fetcher("sched_getaffinity", 204, 123),
    server_and_fetcher("getcpu", 309, 168),
    server_and_fetcher("nanosleep", 35, 101),
    server_and_fetcher("clock_nanosleep", 230, 115),
    server_and_fetcher("clock_gettime", 228, 113),
    server_and_fetcher("clock_getres", 229, 114),
    server_and_fetcher("gettimeofday", 96, 169),
    server_and_fetcher("time", 201, NO_NUMBER),
    server_and_fetcher("getppid", 110, 173),
    server_and_fetcher("getuid", 102, 174),
    server_and_fetcher("geteuid", 107, 175),
    server_and_fetcher("getgid", 104, 176),
    server_and_fetcher("getegid", 108, 177),
    server_and_fetcher("uname", 63, 160),
    server_and_fetcher("sysinfo", 99, 179),
    server_only("getrusage", 98, 165),
    server_only("getrlimit", 97, 163),
    server_only("times", 100, 153),
    server_and_fetcher("rseq", 334, 293),
    server_and_fetcher("set_robust_list", 273, 99),
    server_and_fetcher("set_tid_address", 218, 96),
    server_only("rt_sigpending", 127, 136),
    server_only("rt_sigtimedwait", 128, 137),
    server_only("wait4", 61, 260),
    server_only("waitid", 247, 95),
    // Waiting.
    server_only("epoll_create", 213, NO_NUMBER),
    server_only("epoll_create1", 291, 20),
    server_only("epoll_ctl", 233, 21),
    server_only("epoll_wait", 232, NO_NUMBER),
    server_only("epoll_pwait", 281, 22),
    server_only("epoll_pwait2", 441, 441),
    server_and_fetcher("select", 23, NO_NUMBER),
    server_and_fetcher("pselect6", 270, 72),
    server_and_fetcher("eventfd2", 290, 19),
    server_only("pipe", 22, NO_NUMBER),
    server_and_fetcher("pipe2", 293, 59),
    server_only("timerfd_create", 283, 85),
    server_only("timerfd_settime", 286, 86),
    server_only("timerfd_gettime", 287, 87),
    server_only("inotify_init1", 294, 26),
    server_only("inotify_add_watch", 254, 27),
    server_only("inotify_rm_watch", 255, 28),
    // Existing sockets: standard input and output, and connections accepted by a listener.
    server_and_fetcher("recvmmsg", 299, 243),
    server_and_fetcher("sendmmsg", 307, 269),
    server_and_fetcher("shutdown", 48, 210),
    server_only("accept", 43, 202),
    server_only("accept4", 288, 242),
    server_and_fetcher("getsockname", 51, 204),
    server_and_fetcher("getpeername", 52, 205),
    server_and_fetcher("getsockopt", 55, 209),
    // Calls that are tested by argument.
    server_and_fetcher_if("clone", 56, 220, &[Has(0, CLONE_THREAD), Lacks(0, CLONE_NEW_NAMESPACES)]),
    server_and_fetcher_if("fcntl", 72, 25, &[IsNot(1, FCNTL_SIGNAL_COMMANDS)]),
    server_and_fetcher_if("ioctl", 16, 29, &[Is(1, ALLOWED_IOCTLS)]),
    server_and_fetcher_if("prctl", 157, 167, &[Is(0, ALLOWED_PRCTLS)]),
    server_and_fetcher_if("prlimit64", 302, 261, &[Is(0, &[0]), Null(2)]),
    fetcher_only("socket", 41, 198, AllowIf(&[Is(0, INTERNET_FAMILIES)])),
    fetcher_only("connect", 42, 203, Allow),
    SyscallRule {
        name: "setsockopt",
        numbers: [54, 208],
        server: AllowIf(&[Is(1, &[IPPROTO_TCP])]),
        worker: Kill,
        fetcher: Allow,
    },
    SyscallRule {
        name: "tgkill",
        numbers: [234, 131],
        server: AllowIf(&[OwnProcess(0)]),
        worker: AllowIf(&[OwnProcess(0), Is(2, &[SIGABRT])]),
        fetcher: AllowIf(&[OwnProcess(0)]),
    },
    // A one-time initialisation, such as that of the unwinder at the first caught panic, ends with a wake.
    SyscallRule {
        name: "futex",
        numbers: [202, 98],
        server: Allow,
        worker: AllowIf(&[Is(1, FUTEX_WAKES)]),
        fetcher: Allow,
    },
    // A fetcher loads the system's resolver libraries when it looks up a name.
    SyscallRule {
        name: "mmap",
        numbers: [9, 222],
        server: Allow,
        worker: AllowIf(&[Lacks(2, PROT_EXEC), Has(3, MAP_ANONYMOUS)]),
        fetcher: Allow,
    },
    SyscallRule {
        name: "mprotect",
        numbers: [10, 226],
        server: Allow,
        worker: AllowIf(&[Lacks(2, PROT_EXEC)]),
        fetcher: Allow,
    },
    // The C library then starts threads by `clone`, whose flags can be tested.
    SyscallRule { name: "clone3", numbers: [435, 435], server: Refuse(ENOSYS), worker: Kill, fetcher: Refuse(ENOSYS) },
    // No library tries one of these by itself: a process that does has been taken over.
    kill_all("execve", 59, 221),
    kill_all("execveat", 322, 281),
    kill_all("ptrace", 101, 117),
    kill_all("process_vm_readv", 310, 270),
    kill_all("process_vm_writev", 311, 271),
    kill_all("process_madvise", 440, 440),
    kill_all("pidfd_getfd", 438, 438),
    kill_all("bpf", 321, 280),
    kill_all("perf_event_open", 298, 241),
    kill_all("userfaultfd", 323, 282),
    kill_all("add_key", 248, 217),
    kill_all("request_key", 249, 218),
    kill_all("keyctl", 250, 219),
    kill_all("init_module", 175, 105),
    kill_all("finit_module", 313, 273),
    kill_all("delete_module", 176, 106),
    kill_all("kexec_load", 246, 104),
    kill_all("kexec_file_load", 320, 294),
    kill_all("mount", 165, 40),
    kill_all("umount2", 166, 39),
    kill_all("pivot_root", 155, 41),
    kill_all("move_mount", 429, 429),
    kill_all("open_tree", 428, 428),
    kill_all("fsopen", 430, 430),
    kill_all("fsconfig", 431, 431),
    kill_all("fsmount", 432, 432),
    kill_all("fspick", 433, 433),
    kill_all("mount_setattr", 442, 442),
    kill_all("chroot", 161, 51),
    kill_all("setns", 308, 268),
    kill_all("unshare", 272, 97),
    kill_all("open_by_handle_at", 304, 265),
    kill_all("name_to_handle_at", 303, 264),
    kill_all("setuid", 105, 146),
    kill_all("setgid", 106, 144),
    kill_all("setreuid", 113, 145),
    kill_all("setregid", 114, 143),
    kill_all("setresuid", 117, 147),
    kill_all("setresgid", 119, 149),
    kill_all("setgroups", 116, 159),
    kill_all("setfsuid", 122, 151),
    kill_all("setfsgid", 123, 152),
    kill_all("capset", 126, 91),
    kill_all("reboot", 169, 142),
    kill_all("swapon", 167, 224),
    kill_all("swapoff", 168, 225),
    kill_all("acct", 163, 89),
    kill_all("iopl", 172, NO_NUMBER),
    kill_all("ioperm", 173, NO_NUMBER),
    kill_all("modify_ldt", 154, NO_NUMBER),
    kill_all("kcmp", 312, 272),
    kill_all("quotactl", 179, 60),
    kill_all("sethostname", 170, 161),
    kill_all("setdomainname", 171, 162),
    kill_all("settimeofday", 164, 170),
    kill_all("clock_settime", 227, 112),
    kill_all("syslog", 103, 116),
];
