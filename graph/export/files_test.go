package export

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/graph"
	"portico/model"
	"portico/storage"
)

// addConversion adds a file with the objects completed/lod-meta.json and so on below its root.
func addConversion(t *testing.T, core graph.Options, user *model.User, names ...string) *model.Upload {
	t.Helper()
	upload := model.NewUpload(user.ID, model.CreateUpload{FileName: "scan.ply", FileSize: 1, ContentType: "a/b"})
	upload.State, upload.ExpiresAt = model.UploadConfirmed, upload.CreatedAt
	file := model.NewFile(upload)
	file.ResourceKey = upload.ExtractedRoot() + "completed/lod-meta.json"
	for _, name := range names {
		_, err := core.Store.Put(t.Context(), upload.StorageRoot()+name, strings.NewReader("{}"))
		check(t, err)
	}
	check(t, core.DB.InTx(t.Context(), func(tx *db.DB) error {
		check(t, tx.Uploads().AddUpload(t.Context(), upload))
		return tx.Files().AddFile(t.Context(), file)
	}))
	return upload
}

// Each attempt at a conversion stores into a folder of its own. The folder of a process that was
// killed stays for a day, and the folder of a late attempt changes during the export.
func TestWrite_has_the_files_of_the_completed_conversion_only(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	upload := addConversion(t, core, user, "completed/lod-meta.json", "completed/0_0/meta.json", "killed/lod-meta.json")

	var out bytes.Buffer
	check(t, Write(t.Context(), Options{DB: core.DB, Store: core.Store, Resolver: graph.New(core), User: user}, &out))
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	check(t, err)
	folder := model.ExportFilesFolder + upload.ID + "/"
	var got []string
	for _, entry := range archive.File {
		if name, ok := strings.CutPrefix(entry.Name, folder); ok {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"0_0/meta.json", "lod-meta.json"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var files []model.ExportedUpload
	readJSON(t, out.Bytes(), model.ExportFilesFile, &files)
	if len(files) != 1 || files[0].Primary != "lod-meta.json" || files[0].Objects != 2 {
		t.Errorf("files: got %+v, want lod-meta.json of 2 objects", files)
	}
}

// openStore counts the objects that are opened.
type openStore struct {
	storage.Store
	opened int
}

func (s *openStore) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	s.opened++
	return s.Store.Open(ctx, key)
}

// A folder may have thousands of objects, whose export takes hours.
func TestWrite_ends_within_a_folder_if_the_right_to_export_has_ended(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	addConversion(t, core, user, "completed/lod-meta.json", "completed/0_0/meta.json", "completed/1_0/meta.json")
	store, errEnded := &openStore{Store: core.Store}, errors.New("the password was changed")
	err := Write(t.Context(), Options{
		DB: core.DB, Store: store, Resolver: graph.New(core), User: user,
		Check: func(context.Context) error {
			if store.opened == 2 {
				return errEnded
			}
			return nil
		},
	}, io.Discard)
	if !errors.Is(err, errEnded) || store.opened != 2 {
		t.Errorf("Write: got %v after %d of 3 objects, want %v after 2", err, store.opened, errEnded)
	}
}

// vanishingStore has objects that are deleted while they are read.
type vanishingStore struct{ storage.Store }

func (s vanishingStore) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	object, err := s.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	start := io.LimitReader(object, 1)
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(start, iotest.ErrReader(storage.ErrNotFound)), object}, nil
}

// The entry of the archive has the first bytes of the object, and cannot be removed.
func TestWrite_fails_if_an_object_is_deleted_while_it_is_copied(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	addConversion(t, core, user, "completed/lod-meta.json")
	store := vanishingStore{core.Store}
	err := Write(t.Context(), Options{DB: core.DB, Store: store, Resolver: graph.New(core), User: user}, io.Discard)
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Write: got %v, want it to fail", err)
	}
}

func TestWrite_has_the_avatars_with_their_files(t *testing.T) {
	t.Parallel()
	core, user := newCore(t)
	add := func(name string) string {
		t.Helper()
		upload := model.NewUpload(user.ID, model.CreateUpload{FileName: name, FileSize: 4, ContentType: "a/b"})
		upload.State, upload.ExpiresAt = model.UploadConfirmed, upload.CreatedAt
		_, err := core.Store.Put(t.Context(), upload.StorageKey(), strings.NewReader("text"))
		check(t, err)
		check(t, core.DB.InTx(t.Context(), func(tx *db.DB) error {
			check(t, tx.Uploads().AddUpload(t.Context(), upload))
			return tx.Files().AddFile(t.Context(), model.NewFile(upload))
		}))
		return upload.ResourceKey
	}
	resolver := graph.New(core)
	in := model.CreateAvatar{GLB: add("figure.glb"), Splat: add("person.spz"), Binding: add("binding.bin"), Assign: true}
	in.Fit = in.Binding
	_, err := resolver.Mutation().CreateAvatar(model.WithCaller(t.Context(), &model.Caller{UserID: user.ID}), in)
	check(t, err)

	var out bytes.Buffer
	check(t, Write(t.Context(), Options{DB: core.DB, Store: core.Store, Resolver: resolver, User: user}, &out))
	var avatars []model.ExportedAvatar
	readJSON(t, out.Bytes(), model.ExportAvatarsFile, &avatars)
	want := []model.ExportedAvatar{{OriginalName: "figure.glb", GLB: in.GLB, Splat: in.Splat, Binding: in.Binding, Fit: in.Fit, Assigned: true}}
	if len(avatars) == 1 {
		want[0].CreatedAt = avatars[0].CreatedAt
	}
	if diff := cmp.Diff(want, avatars); diff != "" {
		t.Errorf("avatars (-want +got):\n%s", diff)
	}
	var files []model.ExportedUpload
	readJSON(t, out.Bytes(), model.ExportFilesFile, &files)
	if len(files) != 3 {
		t.Errorf("files: got %+v, want three", files)
	}
}
