package postgres

import (
	"errors"
	"sync"
)

// errNoMain is the error for tests without Main, which would leave a server and a folder behind.
var errNoMain = errors.New("func TestMain(m *testing.M) { postgres.Main(m) } is missing in this package")

// process starts one server, on demand, and stops it. mu protects all fields, and is held while the
// server starts, so that other tests wait for it.
type process struct {
	mu      sync.Mutex
	allowed bool // whether Main was called, which closes the server
	opened  bool
	server  *server
	err     error // of the only attempt to open
}

// allow lets open start a server, because close will be called.
func (p *process) allow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = true
}

// open starts the server at the first call and returns it. After a failure, every call returns the
// same error, because another attempt would fail too.
func (p *process) open(migrate Migrate) (*server, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.allowed {
		return nil, errNoMain
	}
	if !p.opened {
		p.opened = true
		p.server, p.err = openServer(migrate)
	}
	return p.server, p.err
}

// close stops the server if there is one.
func (p *process) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	return p.server.close()
}
