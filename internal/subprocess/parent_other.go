//go:build unix && !linux

package subprocess

import "syscall"

// dieWithParent does nothing: only Linux notifies a process of the end of its parent. The process
// ends when it next writes to the closed pipe.
func dieWithParent(*syscall.SysProcAttr) {}
