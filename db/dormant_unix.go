//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package db

import (
	"crypto/tls"
	"net"
	"syscall"
)

// dormant tells whether the other side of a connection has neither sent anything
// that was not read yet nor ended it. It asks the system and waits for nobody: one
// whose other side is gone without a word is dormant too.
func dormant(c net.Conn) bool {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	file, ok := c.(syscall.Conn)
	if !ok {
		return true // nothing to ask
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false // closed
	}
	quiet := false
	err = raw.Control(func(descriptor uintptr) {
		var next [1]byte
		_, _, err := syscall.Recvfrom(int(descriptor), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EINTR
	})
	return err == nil && quiet
}
