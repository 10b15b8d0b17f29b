// Package disk stores objects in a folder. Its Store is also the HTTP handler that receives the
// presigned PUTs and serves the public addresses. It needs a file system with hard links and a
// reliable fsync. Several processes may share a folder; on a network file system flock must work
// across machines.
package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"portico/internal/semaphore"
	"portico/storage"
	"portico/storage/door"
)

const (
	objectsFolder = "objects"
	// mount is the folder of files below the server's address, unless they have an address of
	// their own.
	mount = "files"
)

// Options configures Open. Folder, BaseURL and Secret are required.
type Options struct {
	// Folder is created if it is missing. Its subfolder "objects" holds the objects, "gzip" the
	// compressed forms of some of them, "incoming" the files that are being written, and "partial"
	// the objects that arrive in pieces; all must be on one file system.
	Folder string
	// BaseURL is the public address of the server.
	BaseURL string
	// FilesURL is the base of all addresses, for uploads and for files, where the Store must be
	// mounted; {BaseURL}/files when empty. If its origin differs from BaseURL's, .mjs files
	// are served as scripts, because they cannot harm the pages of BaseURL from there.
	// KeyOf still accepts addresses below {BaseURL}/files; see FormerHandler.
	FilesURL string
	// Secret is the server's secret, at least 16 bytes. The key that signs upload addresses
	// is derived from it; processes that share a folder must share the secret.
	Secret []byte
	// UploadLifetime is the maximum lifetime of upload addresses, here and in the processes
	// that share the secret. An address that would work for longer, because a clock was set
	// back, is refused. Zero means no maximum.
	UploadLifetime time.Duration
	// KeepReserved keeps storage reserved for the upload of the key, for at least a minute
	// longer, and reports whether the upload is still expected. It is called before an upload
	// is received and every 30 seconds meanwhile; an upload that is not expected is refused.
	// Nil means that every upload is expected until its address expires.
	KeepReserved func(ctx context.Context, key string) (bool, error)
	// AcceptStored decides whether to keep an object that was just stored; otherwise it is
	// deleted again. Set it together with KeepReserved.
	AcceptStored func(ctx context.Context, key string) (bool, error)
	// Shown protects the objects for which it returns false: they can only be read by
	// signed addresses (ReadURL). Nil lets everyone read all objects.
	Shown door.ReadRule
	// ByLink lets who has entered spaces by share links read what these spaces show (LinkURL).
	ByLink door.LinkRule
	// Open lets caches keep what Shown shows, and does not sign its addresses: Shown protects only
	// what it returns false for, as where there is no Shown.
	Open bool
	// KeyVersion ends the signed addresses of an account when it changes. It is called when an
	// address is signed, and when it is used.
	KeyVersion door.KeyVersion
	// Now is the clock for the expiry of uploads; nil means time.Now. For tests.
	Now func() time.Time
	// StallTimeout is the maximum time in which an upload may send nothing; zero means a
	// minute. After its first StallTimeout an upload must have sent 1 KiB for each further
	// second. An upload may take 23 hours.
	StallTimeout time.Duration
	// Logger logs refused requests; nil means no log.
	Logger *slog.Logger
}

// Store is a storage.Store in a folder, and the HTTP handler for its addresses (see
// ServeHTTP). The caller closes it.
//
// The folders below Options.Folder:
//
//	objects/KEY              the objects; a slash of the key is a folder
//	gzip/KEY                 the compressed forms of some objects
//	incoming/RANDOM          a file, or the folder of a batch, that is being written; locked
//	partial/HASH             an object that arrives in pieces or in parts
//	partial/HASH.parts/N     the mark of the part at offset N
type Store struct {
	// Door has the bases of addresses: Other is {BaseURL}/files, the base before FilesURL was set.
	door.Door
	// root is Options.Folder. All names are relative to it.
	root *os.Root
	// isolated reports whether files have another host than the pages of the server.
	isolated bool
	signer   signer
	// As in Options.
	keepReserved, acceptStored func(ctx context.Context, key string) (bool, error)
	stall                      time.Duration
	// buffers contains *[copyBuffer]byte.
	buffers sync.Pool
	// uploads limits the concurrent uploads to one address, and receiving those of an account and
	// of all accounts.
	uploads, receiving semaphore.Room
}

// Open opens or creates the folder, checks that it is writable, and removes the
// incomplete files of crashed processes.
func Open(o Options) (*Store, error) {
	d, err := newStore(o)
	if err == nil {
		err = d.openFolder(o.Folder)
	}
	if err != nil {
		return nil, fmt.Errorf("open disk storage: %w", err)
	}
	return d, nil
}

// newStore returns a Store with the options, whose folder is not open yet.
func newStore(o Options) (*Store, error) {
	server, err := door.ParseAddress(o.BaseURL)
	if err != nil {
		return nil, err
	}
	d := &Store{
		keepReserved: o.KeepReserved, acceptStored: o.AcceptStored, stall: cmp.Or(o.StallTimeout, time.Minute),
		uploads: semaphore.Room{Share: maxUploadsAtOnce},
		receiving: semaphore.Room{
			Size: maxReceiving, Share: maxReceivingOfAccount, MaxWaiting: maxWaitingUploads, Floor: minPlaceRate, Grace: placeGrace, Fair: true,
		},
	}
	d.buffers.New = func() any { return new([copyBuffer]byte) }
	d.Door, err = door.New(server.Join(mount), door.Options{
		FilesURL: o.FilesURL, Shown: o.Shown, ByLink: o.ByLink, Open: o.Open, KeyVersion: o.KeyVersion, Secret: o.Secret, Now: o.Now, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	d.isolated = !d.Files.SameHost(server)
	d.signer, err = newSigner(o.Secret)
	d.signer.lifetime = o.UploadLifetime
	return d, err
}

// openFolder opens the folder as an os.Root: neither a link in the folder nor a mistake of
// ours leads out of it.
func (d *Store) openFolder(folder string) (err error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if d.root, err = os.OpenRoot(folder); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.root.Close())
		}
	}()
	for _, name := range []string{objectsFolder, incomingFolder, partialFolder} {
		if err := d.root.MkdirAll(name, 0o750); err != nil {
			return err
		}
	}
	if err := d.cleanIncoming(); err != nil {
		return err
	}
	err = d.Ping(context.Background())
	if errors.Is(err, storage.ErrFull) { // files can be read and deleted, which makes room
		d.Log.Error("the disk of the files is full", "folder", folder, "error", err)
		return nil
	}
	return err
}

// Close closes the folder. Readers that are open stay usable.
func (d *Store) Close() error { return d.root.Close() }
