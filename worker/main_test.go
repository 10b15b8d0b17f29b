package worker

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
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
	return db.Migrate(ctx, owner, application, slog.New(slog.DiscardHandler))
}

// secret signs nothing that a test looks at.
var secret = []byte("a secret of the worker's tests")

// world is a database and a store with one account.
type world struct {
	url, dir string
	work     string // where captures are worked on
	db       *db.DB
	store    *storage.Disk
	user     *model.User
	log      *slog.Logger
}

// quota is what the account of a world may store: enough.
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
	w.user, err = w.db.CreateUser(t.Context(), model.CreateUser{
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

func openDisk(t testing.TB, dir string, database *db.DB) *storage.Disk {
	t.Helper()
	disk, err := storage.OpenDisk(diskOptions(dir, database))
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	return disk
}

// diskOptions returns the options of a store that takes only bytes that an upload
// waits for, as the server's does: what is deleted is free at once.
func diskOptions(dir string, database *db.DB) storage.DiskOptions {
	return storage.DiskOptions{
		Dir: dir, BaseURL: "http://localhost", Secret: secret,
		Receiving: database.ReceivingUpload, Received: database.ReceivedUpload,
	}
}

// with has a worker's children play the script.
func with(script string) func(*Options) {
	return func(o *Options) { o.Program = childtest.Program(script) }
}

func (w *world) options() Options {
	return Options{
		DB: w.db, Store: w.store, DatabaseURL: w.url, Jobs: 2, JobTTL: time.Hour, Logger: w.log,
		Lease: time.Second, Beat: 100 * time.Millisecond,
		WorkFolder: w.work, ChildMemory: 1 << 30, Silence: time.Minute,
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := w.Stop(ctx); err != nil {
		t.Errorf("stop: got %v, want nil", err)
	}
}

// submit uploads a file and confirms it, as the core does.
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
	upload.Size = max(n, 1) // no promise is for an empty file
	job := model.NewJob(upload)
	err = w.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.AddUpload(ctx, upload); err != nil {
			return err
		}
		if _, err := tx.StartUpload(ctx, upload.ID, job.ID); err != nil {
			return err
		}
		if err := tx.AddJob(ctx, job); err != nil {
			return err
		}
		return tx.Enqueue(ctx, job.ID, "request")
	})
	if err != nil {
		t.Fatalf("confirm %s: %v", name, err)
	}
	return job
}

// capture is small and has a folder, collision meshes and five tiles.
var capture = splattest.Capture{Folder: "export", Tiles: 5, TileBytes: 1000, Collision: true}

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

// job reads the job again.
func (w *world) job(t testing.TB, id string) *model.Job {
	t.Helper()
	job, err := w.db.Job(t.Context(), id)
	if err != nil {
		t.Fatalf("job: %v", err)
	}
	return job
}

func (w *world) upload(t testing.TB, job *model.Job) *model.Upload {
	t.Helper()
	upload, err := w.db.Upload(t.Context(), job.UploadID)
	if err != nil {
		t.Fatalf("upload: %v", err)
	}
	return upload
}

// await returns the job once it is as wanted.
func (w *world) await(t testing.TB, id, what string, is func(*model.Job) bool) *model.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	changed := w.db.Watch(ctx, db.JobTopic(id))
	for {
		job := w.job(t, id)
		if is(job) {
			return job
		}
		if job.Status.Terminal() {
			t.Fatalf("job: got %+v, want it to be %s", job, what)
		}
		select {
		case <-changed:
		case <-time.After(time.Second): // an announcement may be lost
		case <-ctx.Done():
			t.Fatalf("job: got %+v, want it to be %s in time", job, what)
		}
	}
}

func (w *world) awaitEnd(t testing.TB, id string) *model.Job {
	t.Helper()
	return w.await(t, id, "ended", func(job *model.Job) bool { return job.Status.Terminal() })
}

// awaitCompleted returns the file that came of the job.
func (w *world) awaitCompleted(t testing.TB, id string) *model.File {
	t.Helper()
	job := w.awaitEnd(t, id)
	if job.Status != model.JobCompleted || job.Progress != 100 || job.Error != "" || job.EndedAt.IsZero() {
		t.Fatalf("job: got %+v, want it completed at 100 with no error and an end", job)
	}
	file, err := w.db.FileOf(t.Context(), w.user.ID, job.ResultKey)
	if err != nil {
		t.Fatalf("file of the job: %v", err)
	}
	return file
}

// objects returns the size of every object in the store by its key.
func (w *world) objects(t testing.TB) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for object, err := range w.store.List(t.Context(), "") {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		all[object.Key] = object.Size
	}
	return all
}

// checkKept compares what is stored with what is kept for one file, by the names
// below its folder, and with what the account is charged for.
func (w *world) checkKept(t testing.TB, file *model.File, want map[string]int64) {
	t.Helper()
	folder, total := filepath.Dir(file.StorageKey())+"/", int64(0)
	wanted := map[string]int64{}
	for name, size := range want {
		wanted[folder+name] = size
		total += size
	}
	w.awaitObjects(t, wanted)
	if file.Size != total || file.Objects != len(want) {
		t.Errorf("file: got %d bytes in %d objects, want %d in %d", file.Size, file.Objects, total, len(want))
	}
	w.awaitUsed(t, total)
}

// awaitObjects waits until the store holds these objects and no others, and
// nothing is on its way into it: a job removes what is not needed any more when
// it has ended already.
func (w *world) awaitObjects(t testing.TB, want map[string]int64) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		got, coming := w.objects(t), incoming(t, w.dir)
		if maps.Equal(got, want) && len(coming) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("objects: got %v and %d on their way, want %v and none", got, len(coming), want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// awaitUsed waits until the account has used exactly so many bytes, and was promised
// none: what is removed counts until it is gone from the store.
func (w *world) awaitUsed(t testing.TB, want int64) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		got, err := w.db.Storage(t.Context(), w.user.ID)
		if err != nil {
			t.Fatalf("storage: %v", err)
		}
		if got.Used == want && got.Promised == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("storage: got %+v, want %d used and nothing promised", got, want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// checkNothingKept checks what a failed job leaves.
func (w *world) checkNothingKept(t testing.TB, job *model.Job) {
	t.Helper()
	if got := w.upload(t, job).State; got != model.UploadFailed {
		t.Errorf("upload: got %s, want failed", got)
	}
	if _, err := w.db.FileOfUpload(t.Context(), job.UploadID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("file: got %v, want none", err)
	}
	w.awaitObjects(t, nil)
	w.awaitUsed(t, 0)
}

// captured is what is kept of a capture.
func captured(c splattest.Capture) map[string]int64 {
	kept := map[string]int64{c.ManifestName(): int64(len(c.ManifestJSON()))}
	for i := range c.Tiles {
		kept[splattest.TileName(i)] = c.TileBytes
	}
	return kept
}

// incoming returns the names of files on their way into the store.
func incoming(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "incoming"))
	if err != nil {
		t.Fatalf("read the incoming folder: %v", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// sameJob compares moments by their own method.
var sameJob = gocmp.Comparer(func(a, b model.Time) bool { return a.Equal(b.Time) })

// exec sets a scene that the application has no right to set.
func (w *world) exec(t *testing.T, statement string) {
	t.Helper()
	admin, err := db.Pool(t.Context(), postgres.AdminURL(t, w.url), 1)
	if err != nil {
		t.Fatalf("connect as the superuser: %v", err)
	}
	defer admin.Close()
	if _, err := admin.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
