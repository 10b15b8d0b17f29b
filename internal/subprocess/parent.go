package subprocess

import (
	"os/exec"
	"syscall"
)

// EndWithParent gives the process of cmd its own process group, so that Ctrl-C does not reach it. On
// Linux the kernel also kills it when the thread that started it ends, which is at the latest when
// this process ends, even if it is killed. Elsewhere the process of cmd ends at its next write to
// the closed pipe. Start cmd in OnOwnThread.
func EndWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}
