package sandbox

import "golang.org/x/sys/unix"

// machine is the architecture whose numbers of calls the filter compares.
const machine = unix.AUDIT_ARCH_AARCH64

// architectureCalls are calls whose names differ on this architecture.
var architectureCalls = []uint32{unix.SYS_FSTATAT}
