package export

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/model"
)

// Each attempt at a conversion stores into a folder of its own. The folder of a process that was
// killed stays for a day, and the folder of a late attempt changes during the export.
func TestWrite_has_the_files_of_the_completed_conversion_only(t *testing.T) {
	t.Parallel()
	resolver, user := newResolver(t)
	upload := model.NewUpload(user.ID, model.CreateUpload{FileName: "scan.ply", FileSize: 1, ContentType: "a/b"})
	upload.State, upload.ExpiresAt = model.UploadConfirmed, upload.CreatedAt
	file := model.NewFile(upload)
	file.ResourceKey = upload.ExtractedRoot() + "completed/lod-meta.json"
	for _, name := range []string{"completed/lod-meta.json", "completed/0_0/meta.json", "killed/lod-meta.json"} {
		_, err := resolver.Store.Put(t.Context(), upload.StorageRoot()+name, strings.NewReader("{}"))
		check(t, err)
	}
	check(t, resolver.DB.InTx(t.Context(), func(tx *db.DB) error {
		check(t, tx.AddUpload(t.Context(), upload))
		return tx.AddFile(t.Context(), file)
	}))

	var out bytes.Buffer
	check(t, Write(t.Context(), Options{DB: resolver.DB, Store: resolver.Store, Resolver: resolver, User: user}, &out))
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
