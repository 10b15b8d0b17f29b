package model

import (
	"strings"
	"testing"
)

const (
	wantTarget      = "convert_to must be one of sog, streamed-sog"
	wantFileTarget  = "to must be one of sog, streamed-sog, ply, compressed-ply, spz, glb, csv, turntable"
	wantConvertible = ": only .ply, .spz, .splat, .ksplat, .sog and .html files with Gaussians can be converted; a zip with an LCC capture is converted automatically"
)

func TestCreateUpload_Validate_of_a_conversion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		to         ConversionTarget
		want       string
	}{
		{"needs_none", "a.glb", "", ""},
		{"allows_ply", "a.ply", ConvertToSOG, ""},
		{"allows_spz_in_any_case", "a.SPZ", ConvertToStreamedSOG, ""},
		{"allows_sog_to_be_streamed", "a.sog", ConvertToStreamedSOG, ""},
		{"refuses_sog_to_sog", "a.sog", ConvertToSOG, "convert_to: the file is already SOG"},
		{"refuses_a_mesh", "a.glb", ConvertToSOG, "convert_to" + wantConvertible},
		{"refuses_a_zip", "a.zip", ConvertToSOG, "convert_to" + wantConvertible},
		{"refuses_another_word", "a.ply", "spz", wantTarget},
		{"refuses_the_word_of_GraphQL", "a.ply", "STREAMED_SOG", wantTarget},
		{"looks_at_the_format_first", "a.exe", "spz", "file_name must end in one of ." + strings.Join(DefaultFormats, ", .")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := CreateUpload{FileName: test.file, FileSize: 1, ContentType: "a/b", ConvertTo: test.to}
			checkInvalid(t, in.Validate(DefaultFormats), test.want)
		})
	}
}

func TestConvertFile_Check(t *testing.T) {
	t.Parallel()
	found := func(key string, objects int, format FileFormat, splats int64) File {
		return File{ResourceKey: key, Objects: objects, Facts: &FileFacts{Format: format, Splats: splats, Fault: "it is empty"}}
	}
	for _, test := range []struct {
		name string
		file File
		to   ConversionTarget
		want string
	}{
		{"allows_by_name", File{ResourceKey: "a.ply", Objects: 1}, ConvertToSOG, ""},
		{"allows_a_ply_to_be_packed_by_name", File{ResourceKey: "a.ply", Objects: 1}, ConvertToCompressedPLY, ""},
		{"refuses_by_name", File{ResourceKey: "a.glb", Objects: 1}, ConvertToSOG, "resource_key" + wantConvertible},
		{"refuses_spz_to_spz_by_name", File{ResourceKey: "a.SPZ", Objects: 1}, ConvertToSPZ, "resource_key: the file is already SPZ"},
		{"refuses_a_folder_not_looked_into", File{ResourceKey: "a/b.ply", Objects: 2}, ConvertToSOG, "resource_key" + wantConvertible},
		{"allows_a_ply_of_Gaussians", found("a.ply", 1, FormatPLY, 1), ConvertToSOG, ""},
		{"allows_a_packed_ply", found("a.ply", 1, FormatCompressedPLY, 1), ConvertToStreamedSOG, ""},
		{"allows_a_packed_ply_to_be_unpacked", found("a.ply", 1, FormatCompressedPLY, 1), ConvertToPLY, ""},
		{"allows_spz", found("a.spz", 1, FormatSPZ, 1), ConvertToSOG, ""},
		{"allows_a_table", found("a.spz", 1, FormatSPZ, 1), ConvertToCSV, ""},
		{"allows_sog_to_be_streamed", found("a.sog", 1, FormatSOG, 1), ConvertToStreamedSOG, ""},
		{"refuses_sog_to_sog", found("a.sog", 1, FormatSOG, 1), ConvertToSOG, "resource_key: the file is already SOG"},
		{"refuses_glTF_to_glTF", found("a.glb", 1, FormatGLB, 1), ConvertToGLB, "resource_key: the file is already binary glTF"},
		{"refuses_streamed_sog_to_streamed_sog", found("a/lod-meta.json", 7, FormatStreamedSOG, 1), ConvertToStreamedSOG, "resource_key: the file is already streamed SOG"},
		{"allows_sog_in_pieces", found("a/meta.json", 7, FormatSOG, 1), ConvertToStreamedSOG, ""},
		{"allows_streamed_sog", found("a/lod-meta.json", 7, FormatStreamedSOG, 1), ConvertToSPZ, ""},
		{"allows_glTF_with_Gaussians", found("a.glb", 1, FormatGLB, 1), ConvertToPLY, ""},
		{"refuses_a_model", found("a.glb", 1, FormatGLB, 0), ConvertToPLY, "resource_key: only files with Gaussians can be converted"},
		{"refuses_a_ply_that_is_a_mesh", found("a.ply", 1, FormatMeshPLY, 0), ConvertToSOG, "resource_key: only files with Gaussians can be converted"},
		{"refuses_a_damaged_file", found("a.ply", 1, FormatInvalid, 0), ConvertToSOG, "resource_key: the file is damaged: it is empty"},
		{"refuses_another_word", found("a.ply", 1, FormatPLY, 1), "obj", wantFileTarget},
		{"refuses_no_word", found("a.ply", 1, FormatPLY, 1), "", wantFileTarget},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ConvertFile{To: test.to}.Check(&test.file)
			checkInvalid(t, err, test.want)
		})
	}
}

func TestConvertFile_Check_allows_the_same_format_with_changes(t *testing.T) {
	t.Parallel()
	file := &File{ResourceKey: "a.sog", Objects: 1}
	edits, err := ConvertFile{To: ConvertToSOG, Edits: []*EditInput{{Translate: []float64{0, 1.5, 0}}}}.Check(file)
	checkInvalid(t, err, "")
	if want := Edits(`[{"name":"translate","value":"0,1.5,0"}]`); edits != want {
		t.Errorf("changes: got %s, want %s", edits, want)
	}
}

func TestConversionTarget_ResultName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		to         ConversionTarget
		name, want string
	}{
		{ConvertToSOG, "my scan.ply", "my scan.sog"},
		{ConvertToSOG, "scan.lod-meta.json", "scan.sog"},
		{ConvertToStreamedSOG, "scan.ply", "lod-meta.json"},
		{ConvertToPLY, "scan.compressed.ply", "scan.ply"},
		{ConvertToCompressedPLY, "scan.spz", "scan.compressed.ply"},
		{ConvertToSPZ, "scan.v2.ply", "scan.v2.spz"},
		{ConvertToGLB, "scan", "scan.glb"},
		{ConvertToCSV, "scan.sog", "scan.csv"},
		{ConvertToTurntable, "scan.compressed.ply", "scan.webp"},
	} {
		if got := test.to.ResultName(test.name); got != test.want {
			t.Errorf("%s as %s: got %s, want %s", test.name, test.to, got, test.want)
		}
	}
}

func TestNewConversion_makes_an_upload_for_the_result(t *testing.T) {
	t.Parallel()
	file := &File{UserID: "12345678", ResourceKey: "api_uploads/x_a.ply", Name: "a.ply", ContentType: "model/ply", Objects: 1}
	upload, job := NewConversion(file, ConvertToStreamedSOG, "[]")
	if upload.State != UploadProcessing || upload.JobID != job.ID || upload.Size != 0 || upload.UserID != file.UserID ||
		upload.ResourceKey == file.ResourceKey || upload.FileName != "a.ply" || upload.ContentType != "model/ply" {
		t.Errorf("upload: got %+v, want one of its own without bytes", upload)
	}
	if job.Type != JobFile || job.Status != JobQueued || job.UploadID != upload.ID || job.UserID != file.UserID ||
		job.SourceKey != file.ResourceKey || job.ConvertTo != ConvertToStreamedSOG || job.Edits != "[]" {
		t.Errorf("job: got %+v, want one that converts the file", job)
	}
}

// A file that was extracted may have a name that ends in .zip: its conversion
// looks into no archive.
func TestNewConversion_is_not_a_zip_job(t *testing.T) {
	t.Parallel()
	if _, job := NewConversion(&File{Name: "a.zip"}, ConvertToSOG, ""); job.Type != JobFile {
		t.Errorf("type: got %s, want %s", job.Type, JobFile)
	}
}

func TestNewJob_does_what_the_upload_asks_for(t *testing.T) {
	t.Parallel()
	in := CreateUpload{FileName: "a.spz", FileSize: 1, ContentType: "a/b", ConvertTo: ConvertToSOG}
	job := NewJob(NewUpload("12345678", in))
	if job.ConvertTo != ConvertToSOG || job.SourceKey != "" || job.Type != JobFile {
		t.Errorf("job: got %+v, want one that converts the upload", job)
	}
}

// A list has many files, so the index of a streamed SOG is named after its source there.
func TestConversionTarget_ConvertedName(t *testing.T) {
	t.Parallel()
	if got, want := ConvertToStreamedSOG.ConvertedName("scan.compressed.ply"), "scan.lod-meta.json"; got != want {
		t.Errorf("streamed SOG: got %s, want %s", got, want)
	}
	if got, want := ConvertToSOG.ConvertedName("room.spz"), "room.sog"; got != want {
		t.Errorf("SOG: got %s, want %s", got, want)
	}
}

// The name of a source may have the maximum length, and the extension of the result be longer.
func TestConversionTarget_ConvertedName_shortens_the_stem(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"a", "ü", "間", "🏛"} {
		source := strings.Repeat(letter, 251) + ".ply"
		for target, extension := range map[ConversionTarget]string{
			ConvertToStreamedSOG: ".lod-meta.json", ConvertToCompressedPLY: ".compressed.ply", ConvertToTurntable: ".webp", ConvertToSOG: ".sog",
		} {
			want := strings.Repeat(letter, 255-len(extension)) + extension
			if got := target.ConvertedName(source); got != want {
				t.Errorf("%s as %s: got %s, want %s", source, target, got, want)
			}
		}
	}
}
