package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"syscall"
	"time"

	"portico/db"
	"portico/storage"
	"portico/worker/child"
)

// workspace is what one attempt at a job works with: a folder of this machine, and the
// children that read and write captures there.
type workspace struct {
	db    *db.DB
	store storage.Store
	// children convert and inspect; they have no program on servers that do neither.
	children *child.Runner
	// parent is the folder that folder is made in.
	parent string
	// processors is how many of them a conversion may use.
	processors int
	// silence is how long a conversion may give no sign of life.
	silence time.Duration
	name    string // the first part of the folder's name
	log     *slog.Logger

	folder *workFolder // nil until it is needed
	used   child.Usage
}

func (w *Worker) newWorkspace(name string, log *slog.Logger) *workspace {
	return &workspace{
		db: w.DB, store: w.Store, children: w.children, parent: w.WorkFolder, silence: w.Silence,
		// Each job has its share of the processors.
		processors: max(1, runtime.GOMAXPROCS(0)/max(1, w.Jobs)),
		name:       name, log: log,
	}
}

// converts reports whether captures are converted here.
func (s *workspace) converts() bool { return len(s.children.Program) > 0 }

// open makes the folder, once.
func (s *workspace) open() (*workFolder, error) {
	if s.folder != nil {
		return s.folder, nil
	}
	var err error
	s.folder, err = newWorkFolder(s.parent, s.name)
	return s.folder, err
}

// close removes the folder, if there is one.
func (s *workspace) close() {
	if s.folder == nil {
		return
	}
	if err := s.folder.remove(); err != nil {
		// The next sweep finds it unlocked.
		s.log.Warn("remove the folder of a job", "error", err)
	}
}

// subfolder makes a folder in the workspace, whose name begins with name.
func (s *workspace) subfolder(name string) (string, error) {
	folder, err := s.open()
	if err != nil {
		return "", err
	}
	at, err := os.MkdirTemp(folder.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("make a folder to work in: %w", full(err))
	}
	return at, nil
}

// full adds storage.ErrFull to the system's errors for a full disk: the disk of the
// work folder counts as the server's storage.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	}
	return err
}
