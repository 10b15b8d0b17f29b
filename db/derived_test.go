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
	_, err := db.MoveUpload(t.Context(), file.UploadID, model.UploadPending, model.UploadConfirmed)
	check(t, err)
	check(t, db.AddFile(t.Context(), file))
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
	check(t, db.SetFacts(ctx, file.ResourceKey, want))
	got, err := db.FileToPrepare(ctx, file.ResourceKey)
	check(t, err)
	if diff := cmp.Diff(want, got.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	check(t, db.SetFacts(ctx, "no such file", want))
	if got, err := db.FileToPrepare(ctx, "no such file"); err != nil || got != nil {
		t.Errorf("file that is not there: got %v, %v, want nil", got, err)
	}
}

func TestAddPoster_and_AddView_within_the_quota(t *testing.T) {
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
		bytes int64 // that are derived then
	}{
		{"one byte too many", func() (bool, error) { return db.AddPoster(ctx, file, "p", 101) }, false, 0},
		{"of no file", func() (bool, error) { return db.AddPoster(ctx, gone, "p", 1) }, false, 0},
		{"of no user", func() (bool, error) { return db.AddView(ctx, ownerless, "v", 1) }, false, 0},
		{"a poster", func() (bool, error) { return db.AddPoster(ctx, file, "p", 40) }, true, 40},
		{"another poster", func() (bool, error) { return db.AddPoster(ctx, file, "q", 1) }, false, 40},
		{"a view too large beside the poster", func() (bool, error) { return db.AddView(ctx, file, "v", 61) }, false, 40},
		{"a view that just fits", func() (bool, error) { return db.AddView(ctx, file, "v", 60) }, true, 100},
	} {
		got, err := test.add()
		check(t, err)
		if got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		now, err := db.FileToPrepare(ctx, file.ResourceKey)
		check(t, err)
		if now.DerivedBytes != test.bytes {
			t.Errorf("%s: got %d derived bytes, want %d", test.name, now.DerivedBytes, test.bytes)
		}
	}
	now, err := db.FileToPrepare(ctx, file.ResourceKey)
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
		_, err := tx.GiveUpJob(ctx, job.ID, 0, "no")
		return err
	}))
	var keys []string
	check(t, db.idb.NewRaw("SELECT key FROM removals").Scan(ctx, &keys))
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasSuffix(key, "/derived/"+job.UploadID+"/") }) {
		t.Errorf("removals: got %q, want the folder of what is derived among them", keys)
	}
}
