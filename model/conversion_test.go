package model

import (
	"strings"
	"testing"
)

const (
	wantTarget      = "convert_to must be one of sog, streamed-sog"
	wantConvertible = ": only .ply, .spz, .splat, .ksplat and .sog files with Gaussians can be converted; a zip with an LCC capture is, unasked"
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
		{"refuses_sog_to_sog", "a.sog", ConvertToSOG, "convert_to: the file is SOG already"},
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

func TestFile_CheckConversion(t *testing.T) {
	t.Parallel()
	found := func(key string, objects int, format FileFormat) File {
		return File{ResourceKey: key, Objects: objects, Facts: &FileFacts{Format: format, Fault: "it is empty"}}
	}
	for _, test := range []struct {
		name string
		file File
		to   ConversionTarget
		want string
	}{
		{"allows_by_name", File{ResourceKey: "a.ply", Objects: 1}, ConvertToSOG, ""},
		{"refuses_by_name", File{ResourceKey: "a.glb", Objects: 1}, ConvertToSOG, "resource_key" + wantConvertible},
		{"refuses_a_folder_not_looked_into", File{ResourceKey: "a/b.ply", Objects: 2}, ConvertToSOG, "resource_key" + wantConvertible},
		{"allows_a_ply_of_Gaussians", found("a.ply", 1, FormatPLY), ConvertToSOG, ""},
		{"allows_a_packed_ply", found("a.ply", 1, FormatCompressedPLY), ConvertToStreamedSOG, ""},
		{"allows_spz", found("a.spz", 1, FormatSPZ), ConvertToSOG, ""},
		{"allows_sog_to_be_streamed", found("a.sog", 1, FormatSOG), ConvertToStreamedSOG, ""},
		{"refuses_sog_to_sog", found("a.sog", 1, FormatSOG), ConvertToSOG, "resource_key: the file is SOG already"},
		{"refuses_sog_in_pieces", found("a/meta.json", 7, FormatSOG), ConvertToStreamedSOG, "resource_key" + wantConvertible},
		{"refuses_streamed_sog", found("a/lod-meta.json", 7, FormatStreamedSOG), ConvertToSOG, "resource_key" + wantConvertible},
		{"refuses_a_ply_that_is_a_mesh", found("a.ply", 1, FormatMeshPLY), ConvertToSOG, "resource_key" + wantConvertible},
		{"refuses_a_damaged_file", found("a.ply", 1, FormatInvalid), ConvertToSOG, "resource_key: the file is damaged: it is empty"},
		{"refuses_another_word", found("a.ply", 1, FormatPLY), "spz", "to must be one of sog, streamed-sog"},
		{"refuses_no_word", found("a.ply", 1, FormatPLY), "", "to must be one of sog, streamed-sog"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, test.file.CheckConversion(test.to), test.want)
		})
	}
}

func TestNewConversion_makes_an_upload_for_the_result(t *testing.T) {
	t.Parallel()
	file := &File{UserID: "12345678", ResourceKey: "api_uploads/x_a.ply", Name: "a.ply", ContentType: "model/ply", Objects: 1}
	upload, job := NewConversion(file, ConvertToStreamedSOG)
	if upload.State != UploadProcessing || upload.JobID != job.ID || upload.Size != 0 || upload.UserID != file.UserID ||
		upload.ResourceKey == file.ResourceKey || upload.FileName != "a.ply" || upload.ContentType != "model/ply" {
		t.Errorf("upload: got %+v, want one of its own without bytes", upload)
	}
	if job.Type != JobFile || job.Status != JobQueued || job.UploadID != upload.ID || job.UserID != file.UserID ||
		job.SourceKey != file.ResourceKey || job.ConvertTo != ConvertToStreamedSOG {
		t.Errorf("job: got %+v, want one that converts the file", job)
	}
}

// A file that was extracted may have a name that ends in .zip: its conversion
// looks into no archive.
func TestNewConversion_is_no_zip_job(t *testing.T) {
	t.Parallel()
	if _, job := NewConversion(&File{Name: "a.zip"}, ConvertToSOG); job.Type != JobFile {
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
