package worker

import (
	"os"
	"path/filepath"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/worker/child"
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
	if _, err := w.db.Files().AddCollision(t.Context(), whole, "c", 0, foundStart()); err != nil {
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
	turntable := inside.Posters.Turntable
	if whole.Posters.Turntable != nil || turntable == nil || turntable.Frames != model.TurntableFrames || turntable.Width != 384 {
		t.Fatalf("turntables: got %+v and %+v, want one of the first view alone", whole.Posters.Turntable, turntable)
	}
	if got, want := string(w.content(t, inside.UserID+"/"+turntable.Key)), "around: true"; got != want {
		t.Errorf("turntable: got %q, want %q", got, want)
	}
	const made = int64(len("made of sss"))
	w.awaitObjects(t, map[string]int64{
		inside.StorageKey(): 3, inside.PosterStorageKey(): made,
		inside.UserID + "/" + sizes[1].Key: sizes[1].Bytes, inside.UserID + "/" + turntable.Key: turntable.Bytes,
	})
	if want := made + sizes[1].Bytes + turntable.Bytes; inside.DerivedBytes != want || turntable.Bytes != 12 {
		t.Errorf("derived bytes: got %d, want %d", inside.DerivedBytes, want)
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
		if _, err := w.db.Files().SetOwnStart(t.Context(), file.UserID, file.ResourceKey, view); err != nil {
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
		if turntable := file.Posters.Turntable; (turntable != nil) != (view != nil) || turntable != nil && turntable.Bytes != 13 { // "around: false"
			t.Errorf("turntable of %+v: got %+v", view, turntable)
		}
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3, file.PosterStorageKey(): int64(len("made of sss"))})
}

// A hostile capture may control the child.
func TestPosters_of_a_child_that_lies_are_not_kept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"poster.jpg", "turntable.jpg"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("jpeg"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output, err := stage(folder, "poster.jpg")
	if err != nil {
		t.Fatal(err)
	}
	for _, turntable := range []child.Picture{
		{Name: "../turntable.jpg", Width: 384, Height: 240}, {Name: "other.jpg", Width: 384, Height: 240},
		{Name: "turntable.jpg", Height: 240}, {Name: "turntable.jpg", Width: 384, Height: -1},
	} {
		made := &child.Result{Pictures: []child.Picture{{Name: "poster.jpg", Width: 640, Height: 400}}, Turntable: &turntable}
		if got, err := describePosters(&model.File{}, output, made); err == nil {
			t.Errorf("turntable %+v: got %+v, want an error", turntable, got)
		}
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
	if _, err := w.db.Files().SetOwnStart(t.Context(), file.UserID, file.ResourceKey, &model.Viewpoint{Position: [3]float64{7, 8, 9}}); err != nil {
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
	if _, err := w.db.Files().SetOwnStart(t.Context(), file.UserID, file.ResourceKey, &model.Viewpoint{Position: [3]float64{7, 8, 9}}); err != nil {
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
