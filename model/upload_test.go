package model

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestCreateUpload_Validate(t *testing.T) {
	t.Parallel()
	good := CreateUpload{FileName: "a.glb", FileSize: 1, ContentType: "model/gltf-binary"}
	for _, test := range []struct {
		name   string
		change func(*CreateUpload)
		want   string
	}{
		{"allows_it", func(*CreateUpload) {}, ""},
		{"needs_a_name", func(in *CreateUpload) { in.FileName = "" }, "file_name is required"},
		{"allows_255_characters", func(in *CreateUpload) { in.FileName = strings.Repeat("ü", 251) + ".glb" }, ""},
		{"refuses_more", func(in *CreateUpload) { in.FileName = strings.Repeat("a", 252) + ".glb" }, "file_name must have at most 255 characters"},
		{"refuses_NUL", func(in *CreateUpload) { in.FileName = "a\x00.glb" }, "file_name must not contain a NUL character"},
		{"refuses_bytes", func(in *CreateUpload) { in.FileName = "\xff.glb" }, "file_name must be valid UTF-8"},
		{"refuses_0_bytes", func(in *CreateUpload) { in.FileSize = 0 }, "file_size must be a whole number of bytes, at least 1"},
		{"refuses_less", func(in *CreateUpload) { in.FileSize = -1 }, "file_size must be a whole number of bytes, at least 1"},
		{"needs_a_content_type", func(in *CreateUpload) { in.ContentType = "" }, "content_type is required"},
		{"allows_parameters", func(in *CreateUpload) { in.ContentType = "text/plain; charset=utf-8" }, ""},
		{"refuses_half_a_type", func(in *CreateUpload) { in.ContentType = "image" }, "content_type must be a media type such as application/zip"},
		{"refuses_a_header_in_it", func(in *CreateUpload) { in.ContentType = "a/b\r\nX: y" }, "content_type must be a media type such as application/zip"},
		{"refuses_a_line_break_after_it", func(in *CreateUpload) { in.ContentType = "a/b\n" }, "content_type must be a media type such as application/zip"},
		{"refuses_a_long_type", func(in *CreateUpload) { in.ContentType = "a/" + strings.Repeat("b", 254) }, "content_type must be a media type such as application/zip"},
		{"takes_the_extension_in_any_case", func(in *CreateUpload) { in.FileName = "A.GlB" }, ""},
		{"looks_at_the_last_extension", func(in *CreateUpload) { in.FileName = "a.glb.exe" }, "file_name must end in one of .glb, .zip"},
		{"says_how_to_send_a_folder", func(in *CreateUpload) { in.FileName = "room.LCC2" },
			"file_name must end in one of .glb, .zip. Zip the folder of the LCC capture and upload the zip"},
		{"refuses_no_extension", func(in *CreateUpload) { in.FileName = "glb" }, "file_name must end in one of .glb, .zip"},
		{"refuses_a_dot_at_the_end", func(in *CreateUpload) { in.FileName = "a.glb." }, "file_name must end in one of .glb, .zip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := good
			test.change(&in)
			checkInvalid(t, in.Validate([]string{"glb", "zip"}), test.want)
		})
	}
}

func TestCreateUpload_accepts_every_default_format(t *testing.T) {
	t.Parallel()
	for _, extension := range strings.Fields(
		".ply .glb .gltf .spz .splat .ksplat .sog .zip .jpg .jpeg .png .gif .webp .mjs .path .json .bin .mp3 .ogg .wav .mp4 .webm") {
		in := CreateUpload{FileName: "a" + extension, FileSize: 1, ContentType: "a/b"}
		checkInvalid(t, in.Validate(DefaultFormats), "")
	}
}

func TestSafeName_replaces_unsafe_characters_and_shortens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want string }{
		{"model.glb", "model.glb"},
		{"My Model (1).glb", "My_Model_1_.glb"},
		{"a.b.c.GLB", "a.b.c.GLB"},
		{"../../etc/passwd.glb", "passwd.glb"},
		{`C:\Users\me\scan.ply`, "scan.ply"},
		{"..glb", "..glb"},
		{".glb", ".glb"},
		{"模型.glb", "模型.glb"},
		{"Ünïcode 🚪.zip", "Ünïcode_.zip"},
		{"Ku\u0308che.ply", "Ku\u0308che.ply"}, // as file systems of Apple spell it
		{"कमरा.ply", "कमरा.ply"},
		{"a\u202eb\u200b.ply", "a_b_.ply"},
		{strings.Repeat("厅", 50) + ".glb", strings.Repeat("厅", 33) + ".glb"},
		{"a.ſog", "a.og"},
		{"a?b#c%d&e.zip", "a_b_c_d_e.zip"},
		{"a\n\t.zip", "a_.zip"},
		{strings.Repeat("a", 251) + ".glb", strings.Repeat("a", 100) + ".glb"},
	} {
		if got := safeName(test.name); got != test.want {
			t.Errorf("safeName(%q): got %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{"a.glb", "../x.zip", `\.zip`, "ü.glb", "a/.glb", ".", "a.g lb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		in := CreateUpload{FileName: name, FileSize: 1, ContentType: "a/b"}
		if in.Validate(DefaultFormats) != nil {
			return
		}
		upload := NewUpload("12345678", in)
		if !regexp.MustCompile(`^api_uploads/[a-z2-7]{26}_[\pL\pM\pN._-]+$`).MatchString(upload.ResourceKey) {
			t.Errorf("resource key of %q: got %q, want one segment after the folder", name, upload.ResourceKey)
		}
		if got, want := path.Ext(upload.ResourceKey), path.Ext(name); got != want {
			t.Errorf("extension of %q: got %q, want %q", name, got, want)
		}
	})
}

func TestUpload(t *testing.T) {
	t.Parallel()
	upload := NewUpload("12345678", CreateUpload{FileName: "My Scan.v2.ZIP", FileSize: 7, ContentType: "application/zip"})
	t.Run("has_keys_in_the_folder_of_its_owner", func(t *testing.T) {
		t.Parallel()
		stem := "api_uploads/" + upload.ID + "_My_Scan.v2"
		for _, test := range []struct{ name, got, want string }{
			{"resource key", upload.ResourceKey, stem + ".ZIP"},
			{"storage key", upload.StorageKey(), "12345678/" + stem + ".ZIP"},
			{"extracted root", upload.ExtractedRoot(), stem + "/"},
			{"storage root", upload.StorageRoot(), "12345678/" + stem + "/"},
			{"state", string(upload.State), "pending"},
			{"address", url.PathEscape(path.Base(upload.ResourceKey)), path.Base(upload.ResourceKey)},
		} {
			if test.got != test.want {
				t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
			}
		}
	})
	t.Run("is_a_zip_by_its_last_extension", func(t *testing.T) {
		t.Parallel()
		if !upload.IsZip() || (&Upload{FileName: "a.zip.glb"}).IsZip() {
			t.Error("IsZip: got it wrong, want it to depend on the last extension")
		}
	})
	t.Run("has_a_grace_that_ends_when_it_may_be_discarded", func(t *testing.T) {
		t.Parallel()
		now := time.Now()
		expired := Upload{ExpiresAt: Time{ExpiredBefore(now)}}
		if got := expired.GraceEnds(); !got.Equal(now) {
			t.Errorf("late until: got %v, want %v: nothing can arrive any more", got, now)
		}
	})
	t.Run("becomes_a_file", func(t *testing.T) {
		t.Parallel()
		file := NewFile(upload)
		if file.StorageKey() != upload.StorageKey() || file.Size != 7 || file.Objects != 1 || file.Name != "My Scan.v2.ZIP" || file.UploadID != upload.ID {
			t.Errorf("file: got %+v, want the upload as it is", file)
		}
	})
	t.Run("gets_a_job_that_waits", func(t *testing.T) {
		t.Parallel()
		job := NewJob(upload)
		if job.Type != JobZip || job.Status != JobQueued || job.Message != JobQueuedMessage || job.CreatedAt != job.UpdatedAt || job.UploadID != upload.ID {
			t.Errorf("job: got %+v, want a queued one for the zip", job)
		}
		if got, want := NewJob(&Upload{FileName: "a.ply"}).Type, JobFile; got != want {
			t.Errorf("job of a file: got %s, want %s", got, want)
		}
	})
	t.Run("has_a_job_that_ends_by_completing_or_failing", func(t *testing.T) {
		t.Parallel()
		for status, want := range map[JobStatus]bool{JobQueued: false, JobProcessing: false, JobCompleted: true, JobFailed: true} {
			if got := status.IsTerminal(); got != want {
				t.Errorf("%s is terminal: got %v, want %v", status, got, want)
			}
		}
	})
}

func TestCompleteUpload_Validate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		in   CompleteUpload
		want string
	}{
		{"allows_it", CompleteUpload{Status: "success", FileURL: "https://a/b"}, ""},
		{"allows_another_status", CompleteUpload{Status: "failed", FileURL: "https://a/b"}, ""},
		{"needs_a_status", CompleteUpload{FileURL: "https://a/b"}, "status is required"},
		{"needs_an_address", CompleteUpload{Status: "success"}, "extra_info.file_url is required"},
		{"refuses_a_long_address", CompleteUpload{Status: "success", FileURL: strings.Repeat("a", 4097)}, "extra_info.file_url must have at most 4096 characters"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, test.in.Validate(), test.want)
		})
	}
}
