//go:build unix && !linux

package worker

import "syscall"

// dieWithParent does nothing: only Linux tells a child that its parent ended. It
// ends when it next reports to nobody.
func dieWithParent(*syscall.SysProcAttr) {}

// yield does nothing: elsewhere it would slow down the whole server.
func yield() {}

// offer does nothing: only Linux asks whom to end.
func offer(int) {}
