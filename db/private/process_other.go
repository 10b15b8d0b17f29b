//go:build unix && !linux

package private

import "syscall"

// dieWithParent does nothing: only Linux tells a child that its parent ended.
// The next start ends a server that is left over.
func dieWithParent(*syscall.SysProcAttr) {}
