package sandbox

import "golang.org/x/sys/unix"

// machine is the architecture whose numbers of calls the filter compares.
const machine = unix.AUDIT_ARCH_X86_64

// architectureCalls are older variants of calls, which newer architectures do not have. Calls of
// the x32 ABI have other numbers, and none of them is allowed.
var architectureCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_MKDIR, unix.SYS_UNLINK, unix.SYS_RMDIR,
	unix.SYS_RENAME, unix.SYS_READLINK, unix.SYS_ACCESS, unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_SELECT,
	unix.SYS_ARCH_PRCTL, unix.SYS_TIME,
}
