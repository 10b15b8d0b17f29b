package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"portico/internal/semaphore"
)

const (
	objectsFolder = "objects"
	// mount is where files are, below the server's address, unless they have an
	// address of their own.
	mount = "/files"
)

// DiskOptions says where a Disk keeps objects and how they are addressed.
type DiskOptions struct {
	// Dir is the folder, made when missing. Objects lie in its "objects",
	// files on their way in its "incoming"; both must be one file system.
	Dir string
	// BaseURL is the public address of the server.
	BaseURL string
	// FilesURL is the base of all addresses, of uploads and of files, where Disk must
	// be mounted; {BaseURL}/files when empty. With another origin than BaseURL's, .mjs
	// files are served as scripts: they can do no harm to the pages of BaseURL from
	// there. Addresses below {BaseURL}/files go on naming their objects, see Former.
	FilesURL string
	// Secret is the server's secret, at least 16 bytes. The key that signs
	// upload addresses is derived from it; processes that share a folder must
	// share the secret.
	Secret []byte
	// UploadLifetime is how long the addresses of uploads work that are given out
	// here and by processes that share the secret, at most: one that would work
	// for longer, because a clock was put back, is refused. Zero means that any
	// lifetime may be asked for.
	UploadLifetime time.Duration
	// Receiving reports whether bytes may come for the key: somebody waits for them. It
	// is asked before an upload is received and every 30 seconds meanwhile; one that
	// nobody waits for is refused. Nil means that all promises hold until they expire.
	Receiving func(ctx context.Context, key string) (bool, error)
	// Received reports whether an object that has just been stored is wanted; one that
	// is not is deleted again. It is set with Receiving.
	Received func(ctx context.Context, key string) (bool, error)
	// Shown protects the objects that it does not report: they are read by signed
	// addresses alone (ReadURL). Nil lets everyone read all.
	Shown Shown
	// Now is the clock that uploads expire by; nil means time.Now. For tests.
	Now func() time.Time
	// StallTimeout ends an upload that sends nothing for so long, or that after
	// so long is slower than 1 KiB a second; zero means a minute. An upload may
	// take 23 hours.
	StallTimeout time.Duration
	// Logger gets the refused requests; nil means no log.
	Logger *slog.Logger
}

// Disk is a Store in a folder, and the HTTP handler for its addresses (see
// ServeHTTP). The caller closes it.
type Disk struct {
	root     *os.Root
	files    address
	former   address // where files are without an address of their own
	isolated bool
	signer   signer
	access   access
	// As in DiskOptions.
	receiving, received func(ctx context.Context, key string) (bool, error)
	now                 func() time.Time
	stall               time.Duration
	log                 *slog.Logger
	buffers             sync.Pool
	// uploads bounds the uploads that run to one address.
	uploads semaphore.Keyed
}

// OpenDisk opens or makes the folder, checks that it can be written, and
// removes what crashed processes left half-written in it.
func OpenDisk(o DiskOptions) (*Disk, error) {
	d, err := newDisk(o)
	if err != nil {
		return nil, fmt.Errorf("open disk storage: %w", err)
	}
	if err := d.openFolder(o.Dir); err != nil {
		return nil, fmt.Errorf("open disk storage: %w", err)
	}
	return d, nil
}

// newDisk makes a Disk of the options, with no folder yet.
func newDisk(o DiskOptions) (*Disk, error) {
	server, err := parseAddress(o.BaseURL)
	if err != nil {
		return nil, err
	}
	d := &Disk{
		receiving: o.Receiving, received: o.Received, now: o.Now, stall: o.StallTimeout, log: o.Logger,
		uploads: semaphore.Keyed{PerKey: maxUploadsAtOnce},
	}
	d.former, d.files = server.below(mount), server.below(mount)
	if o.FilesURL != "" {
		if d.files, err = parseAddress(o.FilesURL); err != nil {
			return nil, err
		}
	}
	d.isolated = !d.files.sameHost(server)
	if d.signer, err = newSigner(o.Secret); err != nil {
		return nil, err
	}
	d.signer.lifetime = o.UploadLifetime
	d.setDefaults()
	d.access, err = newAccess(o.Shown, o.Secret, d.now)
	return d, err
}

func (d *Disk) setDefaults() {
	if d.now == nil {
		d.now = time.Now
	}
	if d.stall == 0 {
		d.stall = time.Minute
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	d.buffers.New = func() any {
		buffer := make([]byte, copyBuffer)
		return &buffer
	}
}

// openFolder works through an os.Root from here on: no link in the folder,
// and no mistake of ours, leads out of it.
func (d *Disk) openFolder(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if d.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.root.Close())
		}
	}()
	for _, folder := range []string{objectsFolder, incomingFolder} {
		if err := d.root.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	if err := d.cleanIncoming(); err != nil {
		return err
	}
	return d.Ping(context.Background())
}

// Close gives the folder back. Files that are open can still be read.
func (d *Disk) Close() error { return d.root.Close() }
