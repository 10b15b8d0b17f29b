package private

import "syscall"

// stopWithParent makes the kernel send SIGINT to the child when its parent ends, even by
// kill -9. For PostgreSQL, SIGINT is a fast and clean shutdown.
func stopWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
