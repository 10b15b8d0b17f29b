package db

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

// addConfirmed adds a file of so many bytes.
func addConfirmed(t testing.TB, db *DB, user *model.User, size int64) *model.File {
	t.Helper()
	file := model.NewFile(addUpload(t, db, user, size, time.Hour))
	_, err := db.Uploads().MoveUpload(t.Context(), file.UploadID, model.UploadPending, model.UploadConfirmed)
	check(t, err)
	check(t, db.Files().AddFile(t.Context(), file))
	return file
}

func TestSetFacts_are_read_as_they_were_stored(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	file := addConfirmed(t, db, addUser(t, db), 10)
	want := &model.FileFacts{
		Format: model.FormatGLB, Splats: 1 << 40, Extensions: []string{`a?"b`}, Levels: []int64{2, 1},
		Bounds: &model.Bounds{Min: [3]float64{-0.1, 1e-300, 3}, Max: [3]float64{1, 2, 1e300}},
	}
	check(t, db.Files().SetFacts(ctx, file.ResourceKey, want))
	got, err := db.Files().AnyFile(ctx, file.ResourceKey)
	check(t, err)
	if diff := cmp.Diff(want, got.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	check(t, db.Files().SetFacts(ctx, "no such file", want))
	if got, err := db.Files().AnyFile(ctx, "no such file"); err != nil || got != nil {
		t.Errorf("file that is not there: got %v, %v, want nil", got, err)
	}
}

// onePoster returns posters of one size, which show the whole subject.
func onePoster(key string, bytes int64) *model.Posters {
	return &model.Posters{Sizes: []model.StoredPoster{{Key: key, Width: 640, Height: 400, Bytes: bytes}}}
}

func TestSetPosters_and_AddView_within_the_quota(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	setQuota(t, db, user, 1000)
	file := addConfirmed(t, db, user, 900)
	gone := &model.File{ResourceKey: "gone", UserID: user.ID}
	ownerless := &model.File{ResourceKey: file.ResourceKey, UserID: "00000000"}
	for _, test := range []struct {
		name  string
		add   func() (bool, error)
		want  bool
		code  model.Code
		bytes int64 // that are derived then
	}{
		{"one byte too many", func() (bool, error) { return db.Files().SetPosters(ctx, file, onePoster("p", 101)) }, false, model.CodeQuotaExceeded, 0},
		{"of no file", func() (bool, error) { return db.Files().SetPosters(ctx, gone, onePoster("p", 1)) }, false, "", 0},
		{"of no user", func() (bool, error) { return db.Files().AddView(ctx, ownerless, "v", 1) }, false, "", 0},
		{"a poster", func() (bool, error) { return db.Files().SetPosters(ctx, file, onePoster("p", 40)) }, true, "", 40},
		{"another poster", func() (bool, error) { return db.Files().SetPosters(ctx, file, onePoster("q", 1)) }, false, "", 40},
		{"a view too large beside the poster", func() (bool, error) { return db.Files().AddView(ctx, file, "v", 61) }, false, model.CodeQuotaExceeded, 40},
		{"a view that just fits", func() (bool, error) { return db.Files().AddView(ctx, file, "v", 60) }, true, "", 100},
		{"another view, without room", func() (bool, error) { return db.Files().AddView(ctx, file, "w", 61) }, false, "", 100},
	} {
		got, err := test.add()
		checkCode(t, err, test.code)
		if got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		now, err := db.Files().AnyFile(ctx, file.ResourceKey)
		check(t, err)
		if now.DerivedBytes != test.bytes {
			t.Errorf("%s: got %d derived bytes, want %d", test.name, now.DerivedBytes, test.bytes)
		}
	}
	now, err := db.Files().AnyFile(ctx, file.ResourceKey)
	check(t, err)
	if now.PosterKey != "p" || now.ViewKey != "v" {
		t.Errorf("file: got poster %q and view %q, want p and v", now.PosterKey, now.ViewKey)
	}
}

// A job that is given up may have stored a view.
func TestGiveUpJob_writes_down_what_was_derived(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	job := addJob(t, db, addUser(t, db))
	check(t, db.InTx(ctx, func(tx *DB) error {
		_, err := tx.Jobs().FailJobAndUpload(ctx, job.ID, 0, "no")
		return err
	}))
	var keys []string
	check(t, db.idb.NewRaw("SELECT key FROM removals").Scan(ctx, &keys))
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasSuffix(key, "/derived/"+job.UploadID+"/") }) {
		t.Errorf("removals: got %q, want the folder of what is derived among them", keys)
	}
}

// posterJobs counts the preparations that are queued.
func posterJobs(t *testing.T, db *DB) int {
	t.Helper()
	return number(t, db, "SELECT count(*) FROM river_job WHERE kind = 'preparation'")
}

func TestSetPosters_replaces_the_posters_of_another_view(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	setQuota(t, db, user, 1000)
	file := addConfirmed(t, db, user, 800)
	check(t, db.Files().SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatPLY, Splats: 9}))
	stored := func(what string, posters *model.Posters, want bool) *model.File {
		t.Helper()
		got, err := db.Files().SetPosters(ctx, file, posters)
		check(t, err)
		if got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
		now, err := db.Files().AnyFile(ctx, file.ResourceKey)
		check(t, err)
		return now
	}
	stored("the whole subject", onePoster("derived/x/whole.jpg", 60), true)
	before := posterJobs(t, db)
	start := &model.Start{Position: [3]float64{1, 2, 3}, Up: [3]float64{0, 1, 0}, Scene: model.SceneIndoor}
	_, err := db.Files().AddCollision(ctx, file, "c", 20, start)
	check(t, err)
	if got := posterJobs(t, db); got != before+1 {
		t.Errorf("preparations after the start was found: got %d, want %d", got, before+1)
	}
	found := onePoster("derived/x/found.jpg", 50)
	found.From = &model.PosterView{Position: start.Position, Up: start.Up}
	stored("the whole subject again", onePoster("derived/x/late.jpg", 1), false)
	now := stored("the view that was found", found, true)
	if now.PosterKey != "derived/x/found.jpg" || now.DerivedBytes != 70 || !now.HasPosters() {
		t.Errorf("file: got %q of %d bytes, want the found view of 50 and a collision of 20", now.PosterKey, now.DerivedBytes)
	}
	stored("the view that was found again", found, false)
	due, err := db.Files().DueRemovals(ctx, 10)
	check(t, err)
	if want := []string{user.ID + "/derived/x/whole.jpg"}; !slices.Equal(due, want) {
		t.Errorf("removals: got %q, want %q", due, want)
	}
	account, err := db.Accounts().Storage(ctx, user.ID)
	check(t, err)
	if account.Used != 800+70+60 { // the removed object counts until it is deleted
		t.Errorf("used: got %d, want %d", account.Used, 800+70+60)
	}
}

// The owner's choice is drawn, whatever was found, and so is the way back.
func TestSetOwnStart_has_the_posters_drawn_again(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	file := addConfirmed(t, db, user, 800)
	check(t, db.Files().SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatPLY, Splats: 9}))
	before := posterJobs(t, db)
	for i, view := range []*model.Viewpoint{{Position: [3]float64{1, 2, 3}}, {Position: [3]float64{3, 2, 1}}} {
		for range 2 { // asking again adds nothing
			_, err := db.Files().SetOwnStart(ctx, user.ID, file.ResourceKey, view)
			check(t, err)
		}
		if got := posterJobs(t, db); got != before+i+1 {
			t.Errorf("preparations after %d choices: got %d, want %d", i+1, got, before+i+1)
		}
	}
}
