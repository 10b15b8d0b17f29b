package program

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// The ports of FreeAddress. They are below the ports that systems use for outgoing connections.
// Otherwise a client that retries could get the port of a server that does not listen yet, or
// connect to itself.
const (
	minPort = 20_000
	maxPort = 30_000
)

// FreeAddress returns a loopback address, HOST:PORT, at which no program listens. Another program
// may take the port before the caller does, so the result is only very likely free.
func FreeAddress(ctx context.Context) (string, error) {
	for range 100 {
		port := minPort + rand.IntN(maxPort-minPort) //nolint:gosec // no secret
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err == nil {
			return address, listener.Close()
		}
	}
	return "", errors.New("no port is free")
}
