//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dial

import (
	"net"
	"syscall"
)

// isIdle reports whether the other side of a connection has neither closed it nor sent
// anything that is unread. It peeks without blocking, so it does not notice a peer that
// vanished without closing.
func isIdle(c net.Conn) bool {
	for upper, ok := c.(interface{ NetConn() net.Conn }); ok; upper, ok = c.(interface{ NetConn() net.Conn }) {
		c = upper.NetConn() // below TLS
	}
	file, ok := c.(syscall.Conn)
	if !ok {
		return true // nothing to ask
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false // closed
	}
	idle := false
	err = raw.Control(func(descriptor uintptr) {
		var next [1]byte
		_, _, err := syscall.Recvfrom(int(descriptor), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		idle = err == syscall.EAGAIN || err == syscall.EINTR
	})
	return err == nil && idle
}
