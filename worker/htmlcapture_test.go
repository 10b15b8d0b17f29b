package worker

import (
	"encoding/base64"
	"path"
	"strings"
	"testing"

	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
)

// htmlWith returns an exported HTML page that contains a viewer and the capture.
func htmlWith(capture string) string {
	return `<!DOCTYPE html><img src="data:image/png;base64,iVBORw0KGgo="><script>fetch("data:application/octet-stream;base64,` +
		base64.StdEncoding.EncodeToString([]byte(capture)) + `")</script>`
}

// A page is never stored: the capture in it is stored as if it had been uploaded alone.
func TestHTML_becomes_the_capture_in_it(t *testing.T) {
	t.Parallel()
	const bundle, compressed = "PK\x03\x04 a bundle", "ply\nelement chunk 1\n"
	near := func(s storage.Store) storage.Store { return s }
	zipped := func(name, capture string) splattest.Entry {
		return splattest.Entry{Name: name, Body: []byte(htmlWith(capture)), Method: splattest.Deflate}
	}
	for _, test := range []struct {
		name   string
		submit func(*testing.T, *world) *model.Job
		store  func(storage.Store) storage.Store
		want   string // the name of the file
		body   string
	}{
		{"an upload with a bundle", submitHTML("scene.html", bundle), near, "scene.sog", bundle},
		{"an upload with a compressed PLY", submitHTML("Scene.HTML", compressed), near, "Scene.ply", compressed},
		{"an upload to a store elsewhere", submitHTML("scene.html", bundle), func(s storage.Store) storage.Store { return far{s} }, "scene.sog", bundle},
		{"a page in a zip", func(t *testing.T, w *world) *model.Job {
			return w.submitZip(t, zipped("export/index.html", bundle), splattest.Entry{Name: "readme.txt", Body: []byte("x")})
		}, near, "index.sog", bundle},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := test.submit(t, w)
			if err := w.attempt(t, w.idle(t, func(o *Options) { o.Store = test.store(w.store) }), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
			if want := upload.ExtractedRoot() + test.want; file.ResourceKey != want || file.ContentType != "application/octet-stream" {
				t.Errorf("file: got %q of type %q, want %q", file.ResourceKey, file.ContentType, want)
			}
			if got := string(w.content(t, file.StorageKey())); got != test.body {
				t.Errorf("content: got %q, want %q", got, test.body)
			}
			w.checkKept(t, file, map[string]int64{path.Base(file.ResourceKey): int64(len(test.body))}) // the page is gone
			w.checkWorkedCleanly(t)
		})
	}
}

// submitHTML uploads an HTML page with a capture.
func submitHTML(name, capture string) func(*testing.T, *world) *model.Job {
	return func(t *testing.T, w *world) *model.Job {
		t.Helper()
		return w.submit(t, name, strings.NewReader(htmlWith(capture)))
	}
}

func TestHTML_gets_a_view(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scene.html", strings.NewReader(htmlWith("PK\x03\x04sss")))
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if file := w.awaitCompleted(t, job.ID); file.ViewKey == "" {
		t.Errorf("file: got %+v, want one with a view", file)
	}
}

func TestHTML_is_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ page, want string }{
		"without a capture": {"<script>alert(1)</script>", `"scene.html" has no capture inside. Export the scene as an HTML viewer in one file, or upload the capture itself`},
		// The storage is used up after the upload was accepted.
		"over the quota": {htmlWith("PK\x03\x04" + strings.Repeat("x", 5000)), model.QuotaExceeded + ": the capture in the page has 5004 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submit(t, "scene.html", strings.NewReader(test.page))
			if strings.HasPrefix(test.want, model.QuotaExceeded) {
				w.user.Quota = 1
				w.exec(t, "UPDATE uploads SET size = 1")
				if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
					t.Fatalf("update user: %v", err)
				}
			}
			if err := w.attempt(t, w.idle(t), job); err != nil {
				t.Fatalf("work: got %v, want nil: no other attempt helps", err)
			}
			if got := w.job(t, job.ID); got.Status != model.JobFailed || !strings.HasPrefix(got.Error, test.want) {
				t.Errorf("job: got %s with %q, want it failed with %q", got.Status, got.Error, test.want)
			}
			w.checkNothingKept(t, job)
		})
	}
}

// Pages of a web site are not captures.
func TestZip_with_pages_without_a_capture_is_kept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitZip(t, splattest.Entry{Name: "index.html", Body: []byte("<p>;base64,UEsD")}, splattest.Entry{Name: "b.html", Body: []byte("x")})
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job); file.ResourceKey != upload.ResourceKey {
		t.Errorf("file: got %q, want the zip", file.ResourceKey)
	}
}
