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

// workspace is what one attempt works with: the database and the store, a temporary folder, and the
// children that read and write captures in this folder. close removes the folder. It belongs to one
// goroutine.
type workspace struct {
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

// newWorkspace returns the workspace of an attempt. It has no folder until open is called.
func (w *Worker) newWorkspace(name string, log *slog.Logger) *workspace {
	return &workspace{
		db: w.DB, store: w.Store, children: w.children, parent: w.WorkFolder, silenceTimeout: w.SilenceTimeout,
		// Jobs that run at the same time share the processors.
		processors: max(1, runtime.GOMAXPROCS(0)/max(1, w.Jobs)),
		name:       name, log: log,
	}
}

// converts reports whether this worker converts captures.
func (ws *workspace) converts() bool { return len(ws.children.Program) > 0 }

// open creates the temporary folder on the first call.
func (ws *workspace) open() (*workFolder, error) {
	if ws.folder != nil {
		return ws.folder, nil
	}
	var err error
	ws.folder, err = newWorkFolder(ws.parent, ws.name)
	return ws.folder, err
}

// close removes the temporary folder, if there is one.
func (ws *workspace) close() {
	if ws.folder == nil {
		return
	}
	if err := ws.folder.remove(); err != nil {
		// removeLeftovers tries again, since the folder is unlocked.
		ws.log.Warn("remove the folder of a job", "error", err)
	}
}

// subfolder creates a folder in the temporary folder. Its name starts with name.
func (ws *workspace) subfolder(name string) (string, error) {
	folder, err := ws.open()
	if err != nil {
		return "", err
	}
	at, err := os.MkdirTemp(folder.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("create a temporary folder: %w", storage.WrapFull(err))
	}
	return at, nil
}
