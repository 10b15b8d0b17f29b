package worker

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// foundStart returns a start as a worker would find it.
func foundStart() *model.Start {
	return &model.Start{Position: [3]float64{1, 2, 3}, Target: [3]float64{4, 2, 3}, Up: [3]float64{0, 1, 0}, Scene: model.SceneIndoor}
}

func TestPosters_show_the_first_view_once_it_is_known(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("good"))
	whole := w.prepared(t, worker, w.addFile(t, "scan.ply", "sss"))
	if len(whole.Posters.Sizes) != 1 || whole.Posters.From != nil {
		t.Fatalf("posters: got %+v, want one of the whole subject", whole.Posters)
	}
	if _, err := w.db.AddCollision(t.Context(), whole, "c", 0, foundStart()); err != nil {
		t.Fatalf("add a collision: %v", err)
	}
	inside := w.prepared(t, worker, whole)
	sizes := inside.Posters.Sizes
	if len(sizes) != 2 || sizes[1].Width != 1280 || sizes[1].Height != 800 || inside.PosterKey != sizes[0].Key || inside.PosterKey == whole.PosterKey {
		t.Fatalf("posters: got %+v, want two at other addresses than %q", inside.Posters, whole.PosterKey)
	}
	if got, want := string(w.content(t, inside.UserID+"/"+sizes[1].Key)), "from [1 2 3]"; got != want {
		t.Errorf("large poster: got %q, want %q", got, want)
	}
	const made = int64(len("made of sss"))
	w.awaitObjects(t, map[string]int64{
		inside.StorageKey(): 3, inside.PosterStorageKey(): made, inside.UserID + "/" + sizes[1].Key: sizes[1].Bytes,
	})
	if inside.DerivedBytes != made+sizes[1].Bytes {
		t.Errorf("derived bytes: got %d, want %d", inside.DerivedBytes, made+sizes[1].Bytes)
	}
	w.awaitUsed(t, inside.Size+inside.DerivedBytes) // the replaced poster no longer counts
	if again := w.prepared(t, w.idle(t, withScript("panic on .jpg")), inside); again.PosterKey != inside.PosterKey {
		t.Errorf("again: got %q, want no change", again.PosterKey)
	}
}

// Posters of the former view get new addresses, because browsers cache the old ones.
func TestPosters_follow_the_choice_of_the_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("good"))
	file := w.prepared(t, worker, w.addFile(t, "scan.ply", "sss"))
	keys := map[string]bool{file.PosterKey: true}
	for _, view := range []*model.Viewpoint{{Position: [3]float64{7, 8, 9}}, {Position: [3]float64{9, 8, 7}}, nil} {
		if _, err := w.db.SetOwnStart(t.Context(), file.UserID, file.ResourceKey, view); err != nil {
			t.Fatalf("set the start: %v", err)
		}
		file = w.prepared(t, worker, file)
		if got := file.Posters.From; (got == nil) != (view == nil) || got != nil && got.Position != view.Position {
			t.Errorf("view: got %+v, want %+v", got, view)
		}
		if keys[file.PosterKey] {
			t.Errorf("poster of %+v: got %q, which was the address of another", view, file.PosterKey)
		}
		keys[file.PosterKey] = true
	}
}

// A poster of a view that was replaced while it was drawn is not kept: another job draws
// the new view.
func TestPosters_of_a_view_that_was_replaced_meanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("good"))
	added := w.addFile(t, "scan.ply", "sss")
	file := w.prepared(t, worker, added)
	stale := *file
	stale.Posters, stale.PosterKey = nil, ""
	if _, err := w.db.SetOwnStart(t.Context(), file.UserID, file.ResourceKey, &model.Viewpoint{Position: [3]float64{7, 8, 9}}); err != nil {
		t.Fatalf("set the start: %v", err)
	}
	tools := worker.newAttemptTools("test", w.log)
	t.Cleanup(tools.close)
	stale.OwnStart = &model.Viewpoint{Position: [3]float64{1, 1, 1}}
	in, err := tools.openLocally(t.Context(), file.StorageKey(), false, func(int64, int64) {})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	if err := tools.addPosters(t.Context(), &stale, in); err != nil {
		t.Fatalf("add posters: got %v, want nil", err)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3, file.PosterStorageKey(): int64(len("made of sss"))})
}

// If the transaction was rolled back, the row still refers to the former posters.
func TestPosters_stay_if_the_answer_to_the_commit_is_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.prepared(t, w.idle(t, withScript("good")), w.addFile(t, "scan.ply", "sss"))
	if _, err := w.db.SetOwnStart(t.Context(), file.UserID, file.ResourceKey, &model.Viewpoint{Position: [3]float64{7, 8, 9}}); err != nil {
		t.Fatalf("set the start: %v", err)
	}
	losing := open(t, postgres.LosingCommits(t, w.url, "SET posters = "), w.log)
	worker := w.idle(t, withScript("good"), func(o *Options) { o.DB = losing })
	if err := w.prepare(t.Context(), worker, file, 1); err == nil {
		t.Error("prepare: got nil, want a lost response to the commit")
	}
	objects := w.objects(t)
	if _, ok := objects[file.PosterStorageKey()]; !ok || len(objects) < 3 {
		t.Errorf("objects: got %v, want %q and the posters of the new view", objects, file.PosterStorageKey())
	}
}

// The posters of a file that an earlier version prepared are drawn again once.
func TestPosters_of_an_earlier_version_are_drawn_again(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("good"))
	old, failed := w.prepared(t, worker, w.addFile(t, "scan.ply", "sss")), w.prepared(t, worker, w.addFile(t, "other.ply", "ss"))
	w.exec(t, "UPDATE files SET posters = NULL")
	if err := w.db.SetFailure(t.Context(), failed, model.StepPoster, "it is too large"); err != nil {
		t.Fatalf("set the failure: %v", err)
	}
	w.exec(t, "DELETE FROM river_job")
	p := &purgeWorker{w: worker}
	for range 2 { // idempotent
		if err := p.enqueueOldPosters(t.Context()); err != nil {
			t.Fatalf("enqueue: %v", err)
		}
	}
	if got := w.preparations(t); len(got) != 1 || got[0] != old.ResourceKey {
		t.Fatalf("enqueued: got %q, want %q alone", got, old.ResourceKey)
	}
	drawn := w.prepared(t, worker, old)
	if drawn.Posters == nil || len(drawn.Posters.Sizes) != 1 || drawn.PosterKey == old.PosterKey {
		t.Fatalf("posters: got %+v at %q, want one at another address", drawn.Posters, drawn.PosterKey)
	}
	if drawn.DerivedBytes != old.DerivedBytes { // the earlier poster no longer counts
		t.Errorf("derived bytes: got %d, want %d", drawn.DerivedBytes, old.DerivedBytes)
	}
	w.awaitObjects(t, map[string]int64{
		drawn.StorageKey(): 3, drawn.PosterStorageKey(): drawn.DerivedBytes, failed.StorageKey(): 2, failed.PosterStorageKey(): failed.DerivedBytes,
	})
	if err := p.enqueueOldPosters(t.Context()); err != nil || !p.noOldPosters.Load() {
		t.Errorf("afterwards: got %v and %v, want no file left", err, p.noOldPosters.Load())
	}
}

// A file whose poster cannot be drawn again keeps the old one, and leaves its place to the next
// file.
func TestPosters_of_an_earlier_version_that_cannot_be_drawn_again(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("fault on .jpg"))
	chair := w.prepared(t, worker, w.addFile(t, "chair.glb", "sss"))
	if chair.Facts.HasPoster() {
		t.Fatalf("facts: got %+v, want a file without a poster", chair.Facts)
	}
	crashing := w.addFile(t, "crash.ply", "sss")
	w.exec(t, "UPDATE files SET poster_key = 'poster.jpg'")
	w.exec(t, "DELETE FROM river_job")
	p := &purgeWorker{w: worker}
	if err := p.enqueueOldPosters(t.Context()); err != nil {
		t.Fatalf("enqueue: %v", err)
	}
	if got := w.preparations(t); len(got) != 2 {
		t.Fatalf("enqueued: got %q, want both files", got)
	}
	if kept := w.prepared(t, worker, chair); kept.PosterKey != "poster.jpg" {
		t.Errorf("poster: got %q, want the old one", kept.PosterKey)
	}
	if err := w.prepare(t.Context(), w.idle(t, withScript("panic")), crashing, db.JobAttempts); err != nil {
		t.Fatalf("last attempt: got %v, want it to be given up", err)
	}
	w.exec(t, "DELETE FROM river_job")
	if err := p.enqueueOldPosters(t.Context()); err != nil || !p.noOldPosters.Load() {
		t.Errorf("afterwards: got %v and %q, want no file left", err, w.preparations(t))
	}
}

// preparations returns the resource keys of the preparations in the queue.
func (w *world) preparations(t *testing.T) []string {
	t.Helper()
	admin, err := db.Pool(t.Context(), postgres.AdminURL(t, w.url), 1)
	if err != nil {
		t.Fatalf("connect as the superuser: %v", err)
	}
	defer admin.Close()
	rows, err := admin.Query(t.Context(), "SELECT args->>'resource_key' FROM river_job WHERE kind = 'preparation'")
	if err != nil {
		t.Fatalf("read the queue: %v", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("read the queue: %v", err)
	}
	return keys
}
