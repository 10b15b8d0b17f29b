package subprocess

import "syscall"

// dieWithParent sets the signal that the kernel sends when the thread that started the process ends
// (PR_SET_PDEATHSIG in prctl(2)).
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
