package private

import "syscall"

// dieWithParent makes the kernel interrupt the child when its parent ends, even
// by kill -9. For PostgreSQL that signal is a fast and clean shutdown.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
