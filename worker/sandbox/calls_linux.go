//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowed are the system calls of a Go program that reads open files, computes on many
// threads, and creates files in one folder. All other calls fail with EPERM, such as the calls
// for sockets, programs, processes, tracing, mounts, keys, io_uring, and the calls that later
// kernels add.
var allowed = append([]uint32{
	// Open files.
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_READV, unix.SYS_PREADV, unix.SYS_PREADV2, unix.SYS_WRITE,
	unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_LSEEK, unix.SYS_CLOSE,
	unix.SYS_FSTAT, unix.SYS_FCNTL, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_FADVISE64,
	// Names; Landlock decides which.
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_STATX, unix.SYS_READLINKAT, unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_FSTATFS,
	// Memory.
	unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE,
	unix.SYS_MINCORE, unix.SYS_MEMBARRIER,
	// Threads, time and signals to itself.
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY,
	unix.SYS_SETITIMER, unix.SYS_GETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE,
	// Waiting.
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
	unix.SYS_PPOLL, unix.SYS_PSELECT6,
	// The identity of the process, and facts about the machine.
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID,
	unix.SYS_GETEGID, unix.SYS_GETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRANDOM,
}, architectureCalls...)

// The offsets in the description of a system call that a filter reads (struct seccomp_data in
// seccomp(2)). Both architectures store the low half of an argument first.
const (
	callNumber    = 0
	callMachine   = 4
	callArguments = 16
	argumentBytes = 8
)

// load loads 32 bits at the offset. It and the functions below return the instructions of a
// filter, as seccomp(2) describes them.
func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump skips ifTrue instructions if the loaded value meets the condition, and ifFalse
// instructions if not.
func jump(condition uint16, value uint32, ifTrue, ifFalse uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | condition | unix.BPF_K, Jt: ifTrue, Jf: ifFalse, K: value}
}

// decide ends the filter with an action.
func decide(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// refuse ends the filter: the call fails with the error.
func refuse(reason unix.Errno) unix.SockFilter {
	return decide(unix.SECCOMP_RET_ERRNO | uint32(reason))
}

// filter returns the program that the kernel runs before each system call of the
// process with this id.
//
// It is a list of comparisons, from the first to the last:
//
//	the architecture  another one is refused, because its calls have other numbers
//	the calls of allowed
//	three calls that are allowed with one value of an argument
//	everything else is refused
func filter(process int) []unix.SockFilter {
	program := []unix.SockFilter{
		load(callMachine), jump(unix.BPF_JEQ, machine, 1, 0), refuse(unix.EPERM),
		load(callNumber),
	}
	for _, number := range allowed {
		program = append(program, jump(unix.BPF_JEQ, number, 0, 1), decide(unix.SECCOMP_RET_ALLOW))
	}
	// allowIf allows a call if the low half of an argument meets the condition. It must end with
	// a decision, because the argument has replaced the number of the call.
	allowIf := func(number, argument uint32, condition uint16, value uint32) {
		program = append(program,
			jump(unix.BPF_JEQ, number, 0, 4),
			load(callArguments+argument*argumentBytes), jump(condition, value, 0, 1),
			decide(unix.SECCOMP_RET_ALLOW), refuse(unix.EPERM))
	}
	allowIf(unix.SYS_CLONE, 0, unix.BPF_JSET, unix.CLONE_THREAD) // threads, but no processes
	allowIf(unix.SYS_TGKILL, 0, unix.BPF_JEQ, uint32(process))   // signals to itself
	allowIf(unix.SYS_PRLIMIT64, 0, unix.BPF_JEQ, 0)              // its own limits, which cannot be raised
	return append(program,
		// The flags of clone3 are in memory, which a filter cannot read. After ENOSYS a C library
		// calls clone instead.
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), refuse(unix.ENOSYS),
		refuse(unix.EPERM))
}

// restrictCalls applies the filter to all threads.
func restrictCalls() error {
	instructions := filter(os.Getpid())
	program := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	thread, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) //nolint:gosec // the call takes an address
	if failed != 0 {
		return fmt.Errorf("install the seccomp filter: %w", failed)
	}
	if thread != 0 {
		return fmt.Errorf("thread %d has another filter", thread)
	}
	return nil
}
