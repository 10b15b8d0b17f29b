package worker

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
	"portico/splat/archive"
	"portico/splat/splattest"
)

func TestZip_extracts_a_capture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	w.start(t)
	file := w.awaitCompleted(t, job.ID)
	upload := w.upload(t, job)

	w.checkKept(t, file, captured(capture)) // the zip was removed
	if want := upload.ExtractedRoot() + "scene.lcc2"; file.ResourceKey != want {
		t.Errorf("resource key: got %q, want %q", file.ResourceKey, want)
	}
	if upload.State != model.UploadConfirmed || file.UploadID != upload.ID {
		t.Errorf("upload: got %+v of file %+v, want it confirmed and the file's", upload, file)
	}
	if file.Name != "scan.zip" || file.ContentType != "application/json" {
		t.Errorf("file: got name %q and type %q, want scan.zip and application/json", file.Name, file.ContentType)
	}
	want, err := io.ReadAll(capture.Tile(3))
	if err != nil {
		t.Fatalf("read tile: %v", err)
	}
	if got := w.content(t, upload.StorageRoot()+splattest.TileName(3)); !bytes.Equal(got, want) {
		t.Errorf("tile 3: got %d bytes that differ, want the %d that were sent", len(got), len(want))
	}
}

func (w *world) content(t *testing.T, key string) []byte {
	t.Helper()
	r, err := w.store.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return b
}

// One row for each kind of archive (requirements.md, Uploads and jobs).
func TestZip_keeps_what_its_kind_needs(t *testing.T) {
	t.Parallel()
	entry := func(name, body string) splattest.Entry {
		return splattest.Entry{Name: name, Body: []byte(body)}
	}
	const meta = `{"version":2,"means":{"files":["means_l.webp"]},"scales":{"files":["scales.webp"]},` +
		`"quats":{"files":["quats.webp"]},"sh0":{"files":["sh0.webp"]}}`
	images := []splattest.Entry{entry("c/means_l.webp", "m"), entry("c/scales.webp", "s"), entry("c/quats.webp", "q"), entry("c/sh0.webp", "0")}
	sog := append([]splattest.Entry{entry("c/meta.json", meta), entry("c/notes.txt", "dropped")}, images...)
	streamed := append([]splattest.Entry{entry("lod-meta.json", `{"lodLevels":1,"filenames":["c/meta.json"],"tree":{}}`)}, sog...)
	tests := []struct {
		name    string
		entries []splattest.Entry
		primary string // "" if the zip itself is kept
		want    []string
	}{
		{"a streamed SOG", streamed, "lod-meta.json", []string{"c/means_l.webp", "c/meta.json", "c/quats.webp", "c/scales.webp", "c/sh0.webp", "lod-meta.json"}},
		{"a SOG", sog, "meta.json", []string{"means_l.webp", "meta.json", "quats.webp", "scales.webp", "sh0.webp"}},
		{
			"a glTF", []splattest.Entry{entry("m/a.gltf", `{"asset":{"version":"2.0"},"buffers":[{"uri":"bin/a.bin","byteLength":1}]}`), entry("m/bin/a.bin", "b"), entry("m/b.txt", "dropped")},
			"a.gltf", []string{"a.gltf", "bin/a.bin"},
		},
		{"one capture", []splattest.Entry{entry("c/a.spz", "\x1f\x8b"), entry("c/b.txt", "dropped")}, "a.spz", []string{"a.spz"}},
		{"two captures", []splattest.Entry{entry("a.spz", "\x1f\x8b"), entry("b.spz", "\x1f\x8b")}, "", nil},
		{"anything else", []splattest.Entry{entry("a.ply", "ply"), entry("b.txt", "kept")}, "", nil},
		{"nothing", nil, "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitZip(t, test.entries...)
			if err := w.attempt(t, w.idle(t), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
			if note, said := test.name == "two captures", w.job(t, job.ID).Message; strings.Contains(said, `Completed. The zip has several captures: "a.spz", "b.spz". Choose one of them`) != note {
				t.Errorf("message: got %q", said)
			}
			if test.primary == "" {
				if file.ResourceKey != upload.ResourceKey || file.ContentType != upload.ContentType {
					t.Errorf("file: got %+v, want the zip itself", file)
				}
				w.checkKept(t, file, map[string]int64{path.Base(upload.ResourceKey): upload.Size})
				return
			}
			if want := upload.ExtractedRoot() + test.primary; file.ResourceKey != want {
				t.Errorf("resource key: got %q, want %q", file.ResourceKey, want)
			}
			var got []string
			for key := range w.objects(t) {
				got = append(got, strings.TrimPrefix(key, upload.StorageRoot()))
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("objects: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestZip_of_several_captures_gives_the_chosen_one(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	zipped := w.submitZip(t, splattest.Entry{Name: "hall/a.spz", Body: []byte("\x1f\x8b hall")}, splattest.Entry{Name: "room/a.spz", Body: []byte("\x1f\x8b the room")})
	if err := w.attempt(t, worker, zipped); err != nil {
		t.Fatalf("store the zip: %v", err)
	}
	zip := w.awaitCompleted(t, zipped.ID)
	if want := []model.ArchivedCapture{{Name: "hall/a.spz", Size: 7}, {Name: "room/a.spz", Size: 11}}; !slices.Equal(zip.Captures, want) {
		t.Errorf("captures: got %+v, want %+v", zip.Captures, want)
	}
	job := w.addJob(t)(model.NewExtraction(zip, "room/a.spz"))
	if err := w.attempt(t, worker, job); err != nil {
		t.Fatalf("take a capture: %v", err)
	}
	file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
	if file.Name != "room_a.spz" || file.ResourceKey != upload.ExtractedRoot()+"a.spz" || file.Size != 11 || file.Captures != nil {
		t.Errorf("file: got %+v, want the capture alone", file)
	}
	if got := w.content(t, file.StorageKey()); string(got) != "\x1f\x8b the room" {
		t.Errorf("content: got %q, want the chosen capture", got)
	}
	if objects := w.objects(t); objects[zip.StorageKey()] != zip.Size {
		t.Errorf("objects: got %v, want the zip kept", objects)
	}

	w.exec(t, "DELETE FROM files WHERE upload_id = '"+zip.UploadID+"'")
	late := w.addJob(t)(model.NewExtraction(zip, "hall/a.spz"))
	if err := w.attempt(t, worker, late); err != nil {
		t.Fatalf("take a capture of a deleted zip: %v", err)
	}
	if got := w.job(t, late.ID); got.Status != model.JobFailed || got.Error != model.FileNotFound {
		t.Errorf("job of a deleted zip: got %+v, want it failed", got)
	}
}

// One job for each hostile archive: the error names the entry, and no object is kept.
func TestZip_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	for _, hostile := range splattest.HostileZips() {
		t.Run(hostile.Name, func(t *testing.T) { // all rows share one world, so that the next row notices leftovers
			job := w.submit(t, "scan.zip", bytes.NewReader(hostile.Zip))
			if err := w.attempt(t, worker, job); err != nil {
				t.Fatalf("work: got %v, want nil: no other attempt helps", err)
			}
			got := w.job(t, job.ID)
			if got.Status != model.JobFailed || got.Message != "Failed" || got.Progress == 100 || got.ResultKey != "" {
				t.Errorf("job: got %+v, want it failed, below 100, with no result", got)
			}
			if !strings.Contains(got.Error, hostile.Reason) {
				t.Errorf("error: got %q, want it to say %q", got.Error, hostile.Reason)
			}
			if name := fmt.Sprintf("%q", hostile.Entry); hostile.Entry != "" && !strings.Contains(got.Error, name[:min(len(name), 100)]) {
				t.Errorf("error: got %q, want it to name %s", got.Error, name)
			}
			w.checkNothingKept(t, job)
		})
	}
}

func TestZip_refuses_a_path_that_only_our_folder_makes_too_long(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat(strings.Repeat("x", 200)+"/", 4) + strings.Repeat("y", 90)
	c := fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{"uri":%q,"byteLength":1}]}`, long)
	job := w.submit(t, strings.Repeat("z", 100)+".zip", bytes.NewReader(splattest.Zip(
		splattest.Entry{Name: "a.gltf", Body: []byte(c)}, splattest.Entry{Name: long, Body: []byte("b")},
	)))
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if got, want := w.job(t, job.ID).Error, "has a path that is too long to store"; !strings.Contains(got, want) {
		t.Errorf("error: got %q, want it to say %q", got, want)
	}
	w.checkNothingKept(t, job)
}

// growing is an archive that unpacks to much more than its size.
var growing = []splattest.Entry{
	{Name: "a.gltf", Body: []byte(`{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":1}]}`)},
	{Name: "a.bin", Body: make([]byte, 100_000), Method: splattest.Deflate},
}

func TestZip_refuses_what_unpacks_to_more_than_is_free(t *testing.T) {
	t.Parallel()
	unpacked := int64(len(growing[0].Body) + len(growing[1].Body))
	for _, test := range []struct {
		name  string
		quota int64
		want  string
	}{
		{"refuses one byte too many", unpacked - 1, fmt.Sprintf("Storage quota exceeded: the archive unpacks to %d bytes, 1 more than are free", unpacked)},
		{"takes what just fits", unpacked, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user.Quota = test.quota
			if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
				t.Fatalf("update user: %v", err)
			}
			job := w.submitZip(t, growing...)
			if err := w.attempt(t, w.idle(t), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			if got := w.job(t, job.ID).Error; got != test.want {
				t.Errorf("error: got %q, want %q", got, test.want)
			}
			if test.want != "" {
				w.checkNothingKept(t, job)
			}
		})
	}
}

// Other uploads may use the free storage while an archive is unpacked.
func TestZip_checks_the_quota_again_when_it_stores_the_result(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitZip(t, growing...)
	store := stallAfter(w.store, 0)
	w.start(t, func(o *Options) { o.Store = store })
	<-store.stalled
	w.user.Quota = 90_000
	if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
		t.Fatalf("update user: %v", err)
	}
	close(store.released)
	if got, want := w.awaitEnd(t, job.ID).Error, model.QuotaExceeded; !strings.HasPrefix(got, want) {
		t.Errorf("error: got %q, want it to begin %q", got, want)
	}
	w.checkNothingKept(t, job)
}

func TestZip_reports_its_steps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	if job.Progress != 0 || job.Message != "Waiting to be processed" {
		t.Errorf("new job: got %v and %q, want 0 and Waiting to be processed", job.Progress, job.Message)
	}
	store := stallAfter(w.store, 2)
	w.start(t, func(o *Options) { o.Store = store })
	const want = "Extracting zip: 2 of 6 files"
	at := w.await(t, job.ID, want, func(job *model.Job) bool { return job.Message == want })
	if at.Status != model.JobProcessing || at.Progress < 100*2/6. || at.Progress > 100*3/6. {
		t.Errorf("job: got %s at %v, want it processing after a third, before a half", at.Status, at.Progress)
	}
	if got, want := at.Step(), (model.JobStep{Name: model.JobExtractingZip, Done: 2, Total: 6}); got == nil || *got != want {
		t.Errorf("step: got %+v, want %+v", got, want)
	}
	close(store.released)
	w.awaitCompleted(t, job.ID)
	if got := w.job(t, job.ID); got.Message != "Completed" || got.Step() != nil {
		t.Errorf("at the end: got %q and %+v, want Completed and no step", got.Message, got.Step())
	}
}

// The progress that clients see never falls, and is 100 only at the end.
func TestZip_progress_never_falls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, splattest.Capture{Tiles: 400, TileBytes: 10_000})
	changed := w.db.Watch(t.Context(), db.JobTopic(job.ID))
	w.start(t)
	for last := 0.0; ; {
		got := w.job(t, job.ID)
		if got.Progress < last {
			t.Errorf("progress: got %v after %v, want it not to fall", got.Progress, last)
		}
		if (got.Progress == 100) != (got.Status == model.JobCompleted) {
			t.Errorf("progress: got %v of a job that is %s, want 100 when it is completed", got.Progress, got.Status)
		}
		if got.Status.IsTerminal() {
			return
		}
		last = got.Progress
		<-changed
	}
}

func TestLimits_default_accepts_tiles_by_their_names(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.start(t)
	want := archive.DefaultLimits()
	want.AnyTile = true
	if worker.Limits != want {
		t.Errorf("limits: got %+v, want %+v", worker.Limits, want)
	}
}
