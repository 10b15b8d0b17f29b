//go:build unix && !linux

package private

import "syscall"

// stopWithParent does nothing, because only Linux signals a child when its parent ends.
// The next start stops a server that is left.
func stopWithParent(*syscall.SysProcAttr) {}
