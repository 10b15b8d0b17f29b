package subprocess

import (
	"os/exec"
	"syscall"
)

// EndWithParent gives the process of cmd its own process group, so that Ctrl-C does not reach it,
// and has the kernel kill it when the thread that started it ends. The thread ends at the latest
// with this process, even if this process is killed. Start cmd in OnOwnThread.
func EndWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}
