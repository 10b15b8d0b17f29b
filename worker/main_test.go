package worker

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/db/dial"
	"portico/db/migrations"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/splat/splattest"
	"portico/storage/disk"
	"portico/worker/child/childtest"
)

func TestMain(m *testing.M) {
	childtest.Run()
	if settings := os.Getenv(processVariable); settings != "" {
		os.Exit(runProcess(settings))
	}
	postgres.Main(m)
}

func migrate(ctx context.Context, owner, application string) error {
	return migrations.Run(ctx, owner, application, slog.New(slog.DiscardHandler))
}

// secret signs URLs, which no test compares.
var secret = []byte("a secret of the worker's tests")

// world is a database and a store with one account.
type world struct {
	url, dir string
	work     string // the work folder
	db       *db.DB
	store    *disk.Store
	user     *model.User
	log      *slog.Logger
}

// quota is the storage of the world's account, in bytes: more than the tests need.
const quota = 1 << 40

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		url: postgres.URL(t, migrate), dir: t.TempDir(), work: filepath.Join(t.TempDir(), "work"),
		log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	w.db = open(t, w.url, w.log)
	w.store = openDisk(t, w.dir, w.db)
	var err error
	w.user, err = w.db.Accounts().CreateUser(t.Context(), model.CreateUser{
		Email: "ann@example.org", Name: "Ann", Plan: model.PlanFree, Quota: quota,
	})
	if err != nil {
		t.Fatalf("create user: %v", err)
	}
	return w
}

func open(t testing.TB, url string, log *slog.Logger) *db.DB {
	t.Helper()
	database, err := db.Open(t.Context(), db.Options{URL: url, Logger: log})
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Errorf("close the database: %v", err)
		}
	})
	return database
}

func openDisk(t testing.TB, dir string, database *db.DB) *disk.Store {
	t.Helper()
	files, err := disk.Open(diskOptions(dir, database))
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

// diskOptions returns the options of a store that, like the server's, accepts only the bytes of
// pending uploads, so that the bytes of deleted objects are free immediately.
func diskOptions(dir string, database *db.DB) disk.Options {
	return disk.Options{
		Folder: dir, BaseURL: "http://localhost", Secret: secret,
		KeepReserved: database.Uploads().ExtendReservation, AcceptStored: database.Uploads().KeepReceived,
	}
}

// withScript makes a worker's children follow the script.
func withScript(script string) func(*Options) {
	return func(o *Options) { o.Program = childtest.Program(script) }
}

func (w *world) options() Options {
	return Options{
		DB: w.db, Store: w.store, Jobs: 2, JobRetention: time.Hour, Logger: w.log,
		Lease: time.Second, Heartbeat: 100 * time.Millisecond,
		WorkFolder: w.work, ChildMemory: 1 << 30, SilenceTimeout: time.Minute,
	}
}

// start runs a worker until the test ends.
func (w *world) start(t testing.TB, change ...func(*Options)) *Worker {
	t.Helper()
	o := w.options()
	for _, f := range change {
		f(&o)
	}
	worker, err := Start(t.Context(), o)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stop(t, worker) })
	return worker
}

func stop(t testing.TB, w *Worker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := w.Stop(ctx); err != nil {
		t.Errorf("stop: got %v, want nil", err)
	}
}

// submit uploads a file and confirms it, as the resolvers do.
func (w *world) submit(t testing.TB, name string, body io.Reader) *model.Job {
	t.Helper()
	return w.submitUpload(t, model.CreateUpload{FileName: name, ContentType: "application/zip"}, body)
}

func (w *world) submitUpload(t testing.TB, in model.CreateUpload, body io.Reader) *model.Job {
	t.Helper()
	ctx, name := t.Context(), in.FileName
	upload := model.NewUpload(w.user.ID, in)
	upload.ExpiresAt = model.Time{Time: time.Now().Add(15 * time.Minute)}
	n, err := w.store.Put(ctx, upload.StorageKey(), body)
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	upload.Size = max(n, 1) // no upload is of an empty file
	job := model.NewJob(upload)
	err = w.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.Uploads().AddUpload(ctx, upload); err != nil {
			return err
		}
		if _, err := tx.Uploads().StartUpload(ctx, upload.ID, job.ID); err != nil {
			return err
		}
		if err := tx.Jobs().AddJob(ctx, job); err != nil {
			return err
		}
		return tx.Queue().Enqueue(ctx, job.ID, "request")
	})
	if err != nil {
		t.Fatalf("confirm %s: %v", name, err)
	}
	return job
}

// capture has a folder, collision meshes and five tiles, which are large enough to be
// stored one by one.
var capture = splattest.Capture{Folder: "export", Tiles: 5, TileBytes: mediumFile + 1, Collision: true}

func (w *world) submitCapture(t testing.TB, c splattest.Capture) *model.Job {
	t.Helper()
	r, pipe := io.Pipe()
	go func() {
		_, err := c.WriteTo(pipe)
		pipe.CloseWithError(err)
	}()
	return w.submit(t, "scan.zip", r)
}

func (w *world) submitZip(t testing.TB, entries ...splattest.Entry) *model.Job {
	t.Helper()
	return w.submit(t, "scan.zip", bytes.NewReader(splattest.Zip(entries...)))
}

// exec changes rows that the application has no right to change.
func (w *world) exec(t *testing.T, statement string) {
	t.Helper()
	admin, err := dial.OpenQueue(t.Context(), postgres.AdminURL(t, w.url), 1)
	if err != nil {
		t.Fatalf("connect as the superuser: %v", err)
	}
	defer admin.Close()
	if _, err := admin.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// checkOutageLog checks that the log has a line with the failure, and then one with the recovery.
func checkOutageLog(t *testing.T, log *bytes.Buffer, failed, recovered string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], failed) || !strings.Contains(lines[1], recovered) {
		t.Errorf("log: got %d lines, want %q and %q\n%s", len(lines), failed, recovered, log)
	}
}
