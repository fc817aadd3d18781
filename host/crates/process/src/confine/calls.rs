//! The system calls of a server, of a worker and of a requester: which are left to them, and what becomes of the others.
//!
//! Owns: the table. It is a list of what is allowed: a call that is not in it is refused to a server, as one that the
//! system does not permit, as to a requester, and ends a worker.
//! Never: knows how a filter is made of it (see `program.rs`).

use self::Test::{Has, Is, IsNot, Lacks, Null, OwnDescriptor, OwnProcess};
use self::Verdict::{Allow, If, Kill, Refuse};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Allow,
    /// It fails with an error number, and the process goes on.
    Refuse(u16),
    /// The process ends.
    Kill,
    /// Allowed when all of it holds, else as a call that is not in the table.
    If(&'static [Test]),
}

/// Something about an argument, by the argument's place. Where the kernel looks at 32 bits, so do these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Is(u8, &'static [u32]),
    IsNot(u8, &'static [u32]),
    Has(u8, u32),
    /// None of these bits is set.
    Lacks(u8, u32),
    /// A pointer that leads nowhere.
    Null(u8),
    /// This process, by its number.
    OwnProcess(u8),
    /// A descriptor that a worker may use.
    OwnDescriptor(u8),
}

pub(super) struct Call {
    /// For people.
    #[cfg_attr(not(test), expect(dead_code, reason = "says what the numbers mean"))]
    pub(super) name: &'static str,
    /// On x86-64, and on 64-bit Arm.
    pub(super) numbers: [u32; 2],
    pub(super) server: Verdict,
    pub(super) worker: Verdict,
    pub(super) requester: Verdict,
}

/// No such call on that architecture.
pub(super) const NONE: u32 = u32::MAX;

/// The numbers up to here were given out when this table was made. A later call is one that the system does not have,
/// since the C library then does without.
pub(super) const LAST_KNOWN: u32 = 450;
/// Numbers from here on belong to another way to call an x86-64 kernel, with the same architecture and other numbers.
pub(super) const OTHER_WAY: u32 = 0x4000_0000;

pub(super) const EPERM: u16 = 1;
pub(super) const ENOSYS: u16 = 38;

const SIGABRT: u32 = 6;
const PROT_EXEC: u32 = 4;
const MAP_ANONYMOUS: u32 = 0x20;
const CLONE_THREAD: u32 = 0x0001_0000;
/// All flags that make a name space.
const CLONE_SPACES: u32 = 0x7e02_0000;
const IPPROTO_TCP: u32 = 6;
/// `AF_INET` and `AF_INET6`.
const INTERNET: &[u32] = &[2, 10];
/// Who gets a signal, and which one, when something happens at a descriptor: `F_SETOWN`, `F_SETSIG`, `F_SETOWN_EX`,
/// `F_SETLEASE`, `F_NOTIFY`.
const FCNTL_SIGNALS: &[u32] = &[8, 10, 15, 0x400, 0x402];
/// `FIONBIO`, `FIONREAD`, `FIOCLEX`, and what says whether this is a terminal and how wide: `TCGETS`, `TCGETS2`,
/// `TIOCGWINSZ`. Not `TIOCSTI`, which types for the user.
const IOCTLS: &[u32] = &[0x5421, 0x541b, 0x5451, 0x5401, 0x802c_542a, 0x5413];
/// `PR_SET_NAME`, `PR_GET_NAME`, `PR_SET_VMA`: names of threads and of memory.
const PRCTLS: &[u32] = &[15, 16, 0x5356_4d41];

/// All may.
const fn all(name: &'static str, x86_64: u32, aarch64: u32) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Allow, worker: Allow, requester: Allow }
}

/// All may, a worker with its own descriptors.
const fn own(name: &'static str, x86_64: u32, aarch64: u32) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Allow, worker: If(&[OwnDescriptor(0)]), requester: Allow }
}

/// A server may, and a requester, a worker may not.
const fn both(name: &'static str, x86_64: u32, aarch64: u32) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Allow, worker: Kill, requester: Allow }
}

/// A server may, the others may not.
const fn server(name: &'static str, x86_64: u32, aarch64: u32) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Allow, worker: Kill, requester: Refuse(EPERM) }
}

/// Only a requester may.
const fn requester(name: &'static str, x86_64: u32, aarch64: u32, verdict: Verdict) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Refuse(EPERM), worker: Kill, requester: verdict }
}

/// A server and a requester may where all of it holds, a worker may not.
const fn when(name: &'static str, x86_64: u32, aarch64: u32, tests: &'static [Test]) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: If(tests), worker: Kill, requester: If(tests) }
}

/// Ends any of them.
const fn deadly(name: &'static str, x86_64: u32, aarch64: u32) -> Call {
    Call { name, numbers: [x86_64, aarch64], server: Kill, worker: Kill, requester: Kill }
}

/// By number as the headers of Linux have them.
pub(super) const CALLS: &[Call] = &[
    // What all of them do all the time.
    all("munmap", 11, 215),
    all("mremap", 25, 216),
    all("brk", 12, 214),
    all("madvise", 28, 233),
    all("futex", 202, 98),
    all("sched_yield", 24, 124),
    all("rt_sigaction", 13, 134),
    all("rt_sigprocmask", 14, 135),
    all("rt_sigreturn", 15, 139),
    all("sigaltstack", 131, 132),
    all("restart_syscall", 219, 128),
    all("exit", 60, 93),
    all("exit_group", 231, 94),
    all("getpid", 39, 172),
    all("gettid", 186, 178),
    all("getrandom", 318, 278),
    all("poll", 7, NONE),
    all("ppoll", 271, 73),
    all("close", 3, 57),
    // What a worker does with its own descriptors only, and the others with any.
    own("read", 0, 63),
    own("write", 1, 64),
    own("readv", 19, 65),
    own("writev", 20, 66),
    own("recvfrom", 45, 207),
    own("sendto", 44, 206),
    own("recvmsg", 47, 212),
    own("sendmsg", 46, 211),
    // Descriptors that are open already.
    both("pread64", 17, 67),
    server("pwrite64", 18, 68),
    server("preadv", 295, 69),
    server("pwritev", 296, 70),
    server("preadv2", 327, 286),
    server("pwritev2", 328, 287),
    both("lseek", 8, 62),
    both("close_range", 436, 436),
    both("dup", 32, 23),
    both("dup2", 33, NONE),
    both("dup3", 292, 24),
    both("fstat", 5, 80),
    both("fstatfs", 138, 44),
    both("getdents64", 217, 61),
    server("ftruncate", 77, 46),
    server("fallocate", 285, 47),
    server("fsync", 74, 82),
    server("fdatasync", 75, 83),
    server("sync_file_range", 277, 84),
    server("flock", 73, 32),
    server("fadvise64", 221, 223),
    server("copy_file_range", 326, 285),
    server("sendfile", 40, 71),
    // Names: what they may lead to is up to Landlock and the directory handles.
    both("open", 2, NONE),
    both("openat", 257, 56),
    both("openat2", 437, 437),
    both("stat", 4, NONE),
    both("lstat", 6, NONE),
    both("newfstatat", 262, 79),
    both("statx", 332, 291),
    server("statfs", 137, 43),
    both("readlink", 89, NONE),
    both("readlinkat", 267, 78),
    both("access", 21, NONE),
    both("faccessat", 269, 48),
    both("faccessat2", 439, 439),
    server("unlink", 87, NONE),
    server("unlinkat", 263, 35),
    server("rename", 82, NONE),
    server("renameat", 264, 38),
    server("renameat2", 316, 276),
    server("link", 86, NONE),
    server("linkat", 265, 37),
    server("mkdir", 83, NONE),
    server("mkdirat", 258, 34),
    server("rmdir", 84, NONE),
    both("getcwd", 79, 17),
    // Memory. `memfd_create` holds the initial memory of guests; nothing can be executed from it.
    server("memfd_create", 319, 279),
    server("msync", 26, 227),
    both("membarrier", 324, 283),
    // Threads, time, and who this is.
    both("sched_getaffinity", 204, 123),
    both("getcpu", 309, 168),
    both("nanosleep", 35, 101),
    both("clock_nanosleep", 230, 115),
    both("clock_gettime", 228, 113),
    both("clock_getres", 229, 114),
    both("gettimeofday", 96, 169),
    both("time", 201, NONE),
    both("getppid", 110, 173),
    both("getuid", 102, 174),
    both("geteuid", 107, 175),
    both("getgid", 104, 176),
    both("getegid", 108, 177),
    both("uname", 63, 160),
    both("sysinfo", 99, 179),
    server("getrusage", 98, 165),
    server("getrlimit", 97, 163),
    server("times", 100, 153),
    both("rseq", 334, 293),
    both("set_robust_list", 273, 99),
    both("set_tid_address", 218, 96),
    server("rt_sigpending", 127, 136),
    server("rt_sigtimedwait", 128, 137),
    server("wait4", 61, 260),
    server("waitid", 247, 95),
    // Waiting.
    server("epoll_create", 213, NONE),
    server("epoll_create1", 291, 20),
    server("epoll_ctl", 233, 21),
    server("epoll_wait", 232, NONE),
    server("epoll_pwait", 281, 22),
    server("epoll_pwait2", 441, 441),
    both("select", 23, NONE),
    both("pselect6", 270, 72),
    both("eventfd2", 290, 19),
    server("pipe", 22, NONE),
    both("pipe2", 293, 59),
    server("timerfd_create", 283, 85),
    server("timerfd_settime", 286, 86),
    server("timerfd_gettime", 287, 87),
    server("inotify_init1", 294, 26),
    server("inotify_add_watch", 254, 27),
    server("inotify_rm_watch", 255, 28),
    // Sockets that are there already: those at the ends of this process, and those that a listener accepts.
    both("recvmmsg", 299, 243),
    both("sendmmsg", 307, 269),
    both("shutdown", 48, 210),
    server("accept", 43, 202),
    server("accept4", 288, 242),
    both("getsockname", 51, 204),
    both("getpeername", 52, 205),
    both("getsockopt", 55, 209),
    // What depends on an argument.
    when("clone", 56, 220, &[Has(0, CLONE_THREAD), Lacks(0, CLONE_SPACES)]),
    when("fcntl", 72, 25, &[IsNot(1, FCNTL_SIGNALS)]),
    when("ioctl", 16, 29, &[Is(1, IOCTLS)]),
    when("prctl", 157, 167, &[Is(0, PRCTLS)]),
    when("prlimit64", 302, 261, &[Is(0, &[0]), Null(2)]),
    requester("socket", 41, 198, If(&[Is(0, INTERNET)])),
    requester("connect", 42, 203, Allow),
    Call {
        name: "setsockopt",
        numbers: [54, 208],
        server: If(&[Is(1, &[IPPROTO_TCP])]),
        worker: Kill,
        requester: Allow,
    },
    Call {
        name: "tgkill",
        numbers: [234, 131],
        server: If(&[OwnProcess(0)]),
        worker: If(&[OwnProcess(0), Is(2, &[SIGABRT])]),
        requester: If(&[OwnProcess(0)]),
    },
    // A requester loads the system's libraries for names when it looks one up.
    Call {
        name: "mmap",
        numbers: [9, 222],
        server: Allow,
        worker: If(&[Lacks(2, PROT_EXEC), Has(3, MAP_ANONYMOUS)]),
        requester: Allow,
    },
    Call { name: "mprotect", numbers: [10, 226], server: Allow, worker: If(&[Lacks(2, PROT_EXEC)]), requester: Allow },
    // The C library then starts threads by `clone`, whose flags can be looked at.
    Call { name: "clone3", numbers: [435, 435], server: Refuse(ENOSYS), worker: Kill, requester: Refuse(ENOSYS) },
    // No library tries one of these by itself: whoever does is not ours any more.
    deadly("execve", 59, 221),
    deadly("execveat", 322, 281),
    deadly("ptrace", 101, 117),
    deadly("process_vm_readv", 310, 270),
    deadly("process_vm_writev", 311, 271),
    deadly("process_madvise", 440, 440),
    deadly("pidfd_getfd", 438, 438),
    deadly("bpf", 321, 280),
    deadly("perf_event_open", 298, 241),
    deadly("userfaultfd", 323, 282),
    deadly("add_key", 248, 217),
    deadly("request_key", 249, 218),
    deadly("keyctl", 250, 219),
    deadly("init_module", 175, 105),
    deadly("finit_module", 313, 273),
    deadly("delete_module", 176, 106),
    deadly("kexec_load", 246, 104),
    deadly("kexec_file_load", 320, 294),
    deadly("mount", 165, 40),
    deadly("umount2", 166, 39),
    deadly("pivot_root", 155, 41),
    deadly("move_mount", 429, 429),
    deadly("open_tree", 428, 428),
    deadly("fsopen", 430, 430),
    deadly("fsconfig", 431, 431),
    deadly("fsmount", 432, 432),
    deadly("fspick", 433, 433),
    deadly("mount_setattr", 442, 442),
    deadly("chroot", 161, 51),
    deadly("setns", 308, 268),
    deadly("unshare", 272, 97),
    deadly("open_by_handle_at", 304, 265),
    deadly("name_to_handle_at", 303, 264),
    deadly("setuid", 105, 146),
    deadly("setgid", 106, 144),
    deadly("setreuid", 113, 145),
    deadly("setregid", 114, 143),
    deadly("setresuid", 117, 147),
    deadly("setresgid", 119, 149),
    deadly("setgroups", 116, 159),
    deadly("setfsuid", 122, 151),
    deadly("setfsgid", 123, 152),
    deadly("capset", 126, 91),
    deadly("reboot", 169, 142),
    deadly("swapon", 167, 224),
    deadly("swapoff", 168, 225),
    deadly("acct", 163, 89),
    deadly("iopl", 172, NONE),
    deadly("ioperm", 173, NONE),
    deadly("modify_ldt", 154, NONE),
    deadly("kcmp", 312, 272),
    deadly("quotactl", 179, 60),
    deadly("sethostname", 170, 161),
    deadly("setdomainname", 171, 162),
    deadly("settimeofday", 164, 170),
    deadly("clock_settime", 227, 112),
    deadly("syslog", 103, 116),
];
