package program

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range of FreeAddress lies below the ports that systems give to outgoing connections.
// A client that connects again and again could otherwise take the port of a server that is
// not listening yet, or connect to itself.
const (
	minPort = 20_000
	maxPort = 30_000
)

// FreeAddress returns an address of this machine, HOST:PORT, where nobody listens.
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
