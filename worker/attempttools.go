package worker

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"

	"portico/db"
	"portico/storage"
	"portico/worker/child"
)

// attemptTools are what one attempt works with: the database and the store, a temporary folder, and
// the children that read and write captures in this folder. close removes the folder. They belong
// to one goroutine.
type attemptTools struct {
	db    *db.DB
	store storage.Store
	// children starts the children. It has no program on servers that do not convert.
	children *child.Runner
	// parent is the folder in which the temporary folder is created.
	parent string
	// processors is the number of processors that a conversion may use.
	processors int
	// silenceTimeout is how long a conversion may run without output.
	silenceTimeout time.Duration
	name           string // the first part of the folder's name
	log            *slog.Logger

	folder *workFolder // nil until open is called
	used   child.Usage // by all children of the attempt
}

// newAttemptTools returns the tools of an attempt. They have no folder until open is called.
func (w *Worker) newAttemptTools(name string, log *slog.Logger) *attemptTools {
	return &attemptTools{
		db: w.DB, store: w.Store, children: w.children, parent: w.WorkFolder, silenceTimeout: w.SilenceTimeout,
		// Jobs that run at the same time share the processors.
		processors: max(1, runtime.GOMAXPROCS(0)/max(1, w.Jobs)),
		name:       name, log: log,
	}
}

// converts reports whether this worker converts captures.
func (t *attemptTools) converts() bool { return len(t.children.Program) > 0 }

// open creates the temporary folder on the first call.
func (t *attemptTools) open() (*workFolder, error) {
	if t.folder != nil {
		return t.folder, nil
	}
	var err error
	t.folder, err = newWorkFolder(t.parent, t.name)
	return t.folder, err
}

// close removes the temporary folder, if there is one.
func (t *attemptTools) close() {
	if t.folder == nil {
		return
	}
	if err := t.folder.remove(); err != nil {
		// removeLeftovers tries again, since the folder is unlocked.
		t.log.Warn("remove the folder of a job", "error", err)
	}
}

// subfolder creates a folder in the temporary folder. Its name starts with name.
func (t *attemptTools) subfolder(name string) (string, error) {
	folder, err := t.open()
	if err != nil {
		return "", err
	}
	path, err := os.MkdirTemp(folder.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("create a temporary folder: %w", storage.WrapFull(err))
	}
	return path, nil
}
