package model

import (
	"strings"
	"testing"
)

func TestFile_DerivedRoot_is_nowhere_an_upload_can_be(t *testing.T) {
	t.Parallel()
	upload := NewUpload("12345678", CreateUpload{FileName: "derived/a.spz", FileSize: 1, ContentType: "a/b"})
	file := NewFile(upload)
	if got, want := file.DerivedStorageRoot(), "12345678/derived/"+upload.ID+"/"; got != want {
		t.Errorf("root: got %s, want %s", got, want)
	}
	for _, key := range []string{upload.StorageKey(), upload.StorageRoot()} {
		if !strings.HasPrefix(key, "12345678/api_uploads/") {
			t.Errorf("upload: got %s, want it below api_uploads", key)
		}
	}
}

func TestFile_keys_of_what_is_made_of_it(t *testing.T) {
	t.Parallel()
	file := File{UserID: "12345678", ResourceKey: "api_uploads/x_a.spz"}
	if got := file.PosterStorageKey(); got != "" {
		t.Errorf("poster that is not there: got %s, want none", got)
	}
	if got, want := file.ViewStorageKey(), "12345678/api_uploads/x_a.spz"; got != want {
		t.Errorf("view that is not there: got %s, want the file %s", got, want)
	}
	file.PosterKey, file.ViewKey = "derived/x/poster.jpg", "derived/x/view.sog"
	if got, want := file.PosterStorageKey(), "12345678/derived/x/poster.jpg"; got != want {
		t.Errorf("poster: got %s, want %s", got, want)
	}
	if got, want := file.ViewStorageKey(), "12345678/derived/x/view.sog"; got != want {
		t.Errorf("view: got %s, want %s", got, want)
	}
}

func TestFile_NeedsView(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		file File
		want bool
	}{
		{"where_the_name_is_of_SPZ", File{ResourceKey: "a.SPZ"}, true},
		{"where_the_content_is_SPZ", File{ResourceKey: "a.ply", Facts: &FileFacts{Format: FormatSPZ, Splats: 1}}, true},
		{"not_where_the_content_is_not", File{ResourceKey: "a.spz", Facts: &FileFacts{Format: FormatInvalid}}, false},
		{"not_where_there_is_one", File{ResourceKey: "a.spz", ViewKey: "derived/x/view.sog"}, false},
		{"not_where_the_name_is_also_of_meshes", File{ResourceKey: "a.ply"}, false},
		{"where_a_PLY_has_Gaussians", File{ResourceKey: "a.ply", Facts: &FileFacts{Format: FormatPLY, Splats: 1}}, true},
		{"where_the_content_is_SOG", File{ResourceKey: "a.sog", Facts: &FileFacts{Format: FormatSOG, Splats: 1}}, true},
		{"where_the_content_is_LCC2", File{ResourceKey: "a.lcc2", Facts: &FileFacts{Format: FormatLCC2, Splats: 1}}, true},
		{"not_where_the_content_is_streamed", File{ResourceKey: "lod-meta.json", Facts: &FileFacts{Format: FormatStreamedSOG, Splats: 1}}, false},
		{"not_where_the_content_is_a_mesh", File{ResourceKey: "a.ply", Facts: &FileFacts{Format: "mesh-ply"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.file.NeedsView(); got != test.want {
				t.Errorf("needs a view: got %v, want %v", got, test.want)
			}
		})
	}
}
