package worker

import (
	"bytes"
	"maps"
	"path"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/model"
	"portico/splat/edit"
	"portico/splat/splattest"
	"portico/storage"
)

// far is a store that hides that it is on this machine's disk.
type far struct{ storage.Store }

func (w *world) submitLCC(t testing.TB) *model.Job {
	t.Helper()
	return w.submit(t, "scan.zip", bytes.NewReader(splattest.LCC("export")))
}

// submitTo uploads a file that is to be converted.
func (w *world) submitTo(t testing.TB, name, body string, to model.ConversionTarget) *model.Job {
	t.Helper()
	return w.submitUpload(t, model.CreateUpload{FileName: name, ContentType: "a/b", ConvertTo: to}, strings.NewReader(body))
}

// convert adds a job that converts a stored file, as the resolver does.
func (w *world) convert(t testing.TB, file *model.File, to model.ConversionTarget, edits ...*model.EditInput) *model.Job {
	t.Helper()
	checked, err := model.ConvertFile{To: to, Edits: edits}.Check(file)
	if err != nil {
		t.Fatalf("check the conversion: %v", err)
	}
	return w.addJob(t)(model.NewConversion(file, to, checked))
}

// addJob returns a function that adds a job about a stored file, as the resolvers do.
func (w *world) addJob(t testing.TB) func(*model.Upload, *model.Job) *model.Job {
	return func(upload *model.Upload, job *model.Job) *model.Job {
		t.Helper()
		err := w.db.InTx(t.Context(), func(tx *db.DB) error {
			if err := tx.Uploads().AddUpload(t.Context(), upload); err != nil {
				return err
			}
			if err := tx.Jobs().AddJob(t.Context(), job); err != nil {
				return err
			}
			return tx.Queue().Enqueue(t.Context(), job.ID, "request")
		})
		if err != nil {
			t.Fatalf("add a job: %v", err)
		}
		return job
	}
}

// addFile stores a small file, as the resolver does.
func (w *world) addFile(t testing.TB, name, body string) *model.File {
	t.Helper()
	upload := model.NewUpload(w.user.ID, model.CreateUpload{FileName: name, FileSize: model.FileSize(len(body)), ContentType: "a/b"})
	upload.State, upload.ExpiresAt = model.UploadConfirmed, upload.CreatedAt
	file := model.NewFile(upload)
	if _, err := w.store.Put(t.Context(), upload.StorageKey(), strings.NewReader(body)); err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	err := w.db.InTx(t.Context(), func(tx *db.DB) error {
		if err := tx.Uploads().AddUpload(t.Context(), upload); err != nil {
			return err
		}
		return tx.Files().AddFile(t.Context(), file)
	})
	if err != nil {
		t.Fatalf("add %s: %v", name, err)
	}
	return file
}

// streamed returns the files that the scripted child makes from a file.
func streamed(body string) map[string]int64 {
	return map[string]int64{
		"lod-meta.json": int64(len("made of " + body)), "0_0/meta.json": 2, "0_0/means_l.webp": 5,
	}
}

// checkWorkedCleanly checks that the work folder is empty.
func (w *world) checkWorkedCleanly(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; <-time.After(10 * time.Millisecond) {
		left := names(t, w.work)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("work folder: got %q, want nothing left", left)
		}
	}
}

func TestConversion_of_an_LCC_capture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitLCC(t)
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
	if !isConverted(file, upload, "lod-meta.json") || !file.IsSplat() {
		t.Errorf("resource key: got %q, want lod-meta.json in a folder of the upload, a splat", file.ResourceKey)
	}
	if file.Facts == nil || file.Facts.Format != model.FormatStreamedSOG || file.Attribution() != model.AttributionXGRIDS {
		t.Errorf("facts: got %+v, want a streamed SOG of XGRIDS'", file.Facts)
	}
	manifest := w.content(t, file.StorageKey())
	if !bytes.HasPrefix(manifest, []byte(`made of {"version":"5.0"`)) {
		t.Errorf("manifest: got %q, want what is made of the capture's own", manifest)
	}
	w.checkKept(t, file, streamed(strings.TrimPrefix(string(manifest), "made of ")))
	w.checkWorkedCleanly(t)
}

// One row for each way to get the file that is converted, and for each target.
func TestConversion_of_a_file(t *testing.T) {
	t.Parallel()
	near := func(s storage.Store) storage.Store { return s }
	away := func(s storage.Store) storage.Store { return far{s} }
	for _, test := range []struct {
		name    string
		to      model.ConversionTarget
		store   func(storage.Store) storage.Store
		primary string
	}{
		{"to a bundle", model.ConvertToSOG, near, "scan.sog"},
		{"to a streamed SOG", model.ConvertToStreamedSOG, near, "lod-meta.json"},
		{"from a store elsewhere", model.ConvertToSOG, away, "scan.sog"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = test.store(w.store) })
			job := w.submitTo(t, "scan.ply", "sss", test.to)
			if err := w.attempt(t, worker, job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
			if !isConverted(file, upload, test.primary) {
				t.Errorf("resource key: got %q, want %q in a folder of the upload", file.ResourceKey, test.primary)
			}
			want := map[string]int64{"scan.sog": int64(len("made of sss"))}
			if test.to == model.ConvertToStreamedSOG {
				want = streamed("sss")
			}
			w.checkKept(t, file, want) // the uploaded file was removed
			w.checkWorkedCleanly(t)
		})
	}
}

func TestConversion_of_a_file_that_stays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.addFile(t, "scan.spz", "sss")
	job := w.convert(t, source, model.ConvertToSOG)
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	if file.Name != "scan.sog" {
		t.Errorf("name: got %q, want scan.sog beside scan.spz", file.Name)
	}
	const made = "made of sss"
	w.awaitObjects(t, map[string]int64{source.StorageKey(): 3, file.StorageKey(): int64(len(made))})
	if got := w.content(t, file.StorageKey()); string(got) != made {
		t.Errorf("file: got %q, want %q", got, made)
	}
	w.awaitUsed(t, int64(3+len(made)))
}

func TestConversion_merges_files(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(storage.Store) storage.Store{
		"on this machine": func(s storage.Store) storage.Store { return s },
		"elsewhere":       func(s storage.Store) storage.Store { return far{s} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first, second, third := w.addFile(t, "a.spz", "s"), w.addFile(t, "b.spz", "ss"), w.addFile(t, "c.ply", "sss")
			merge := func(file *model.File) *model.EditInput {
				return &model.EditInput{Merge: &model.MergedFile{ResourceKey: file.ResourceKey}}
			}
			job := w.convert(t, first, model.ConvertToSPZ, merge(second), &model.EditInput{Scale: new(2.0)}, merge(third))
			if err := w.attempt(t, w.idle(t, withScript("good"), func(o *Options) { o.Store = store(w.store) }), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file := w.awaitCompleted(t, job.ID)
			want := "made of s merge " + second.ResourceKey + " scale 2 merge " + third.ResourceKey + " and ss and sss"
			if got := string(w.content(t, file.StorageKey())); got != want {
				t.Errorf("file: got %q, want %q", got, want)
			}
			w.checkWorkedCleanly(t)
		})
	}
}

// One row for each target that is not possible for uploads.
func TestConversion_of_a_file_with_changes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		to   model.ConversionTarget
		name string
	}{
		{model.ConvertToPLY, "scan.ply"}, {model.ConvertToCompressedPLY, "scan.compressed.ply"}, {model.ConvertToSPZ, "scan.spz"},
		{model.ConvertToGLB, "scan.glb"}, {model.ConvertToCSV, "scan.csv"}, {model.ConvertToTurntable, "scan.webp"},
	} {
		t.Run(string(test.to), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			source := w.addFile(t, "scan.spz", "sss")
			job := w.convert(t, source, test.to, &model.EditInput{Translate: []float64{0, -1.5, 0}}, &model.EditInput{FilterNaN: new(true)})
			if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file := w.awaitCompleted(t, job.ID)
			if got := path.Base(file.ResourceKey); got != test.name {
				t.Errorf("name: got %q, want %q", got, test.name)
			}
			if file.Name != test.name {
				t.Errorf("name in lists: got %q, want %q", file.Name, test.name)
			}
			if got, want := string(w.content(t, file.StorageKey())), "made of sss translate 0,-1.5,0 filter-nan "; got != want {
				t.Errorf("file: got %q, want %q", got, want)
			}
		})
	}
}

// Package splat knows every change that the model accepts.
func TestEdits_are_steps_of_conversions(t *testing.T) {
	t.Parallel()
	inputs := []*model.EditInput{
		{Translate: []float64{1e6, -0.1, 1e-9}}, {Rotate: []float64{0, 0, 180}}, {Scale: new(1e-6)}, {Scale: new(1e6)},
		{FilterBox: &model.BoxFilter{Min: []float64{-1, -1, -1}, Max: []float64{1, 1, 1}}},
		{FilterSphere: &model.SphereFilter{Center: []float64{0, 1, 0}, Radius: 0.5}},
		{FilterHarmonics: new(0)}, {FilterHarmonics: new(3)}, {FilterNaN: new(true)},
		{FilterFloaters: &model.FloaterFilter{}}, {FilterFloaters: &model.FloaterFilter{Size: new(0.001), Contribution: new(0.0)}},
		{Decimate: &model.Decimation{Count: new(1)}}, {Decimate: &model.Decimation{Percent: new(100.0)}}, {Decimate: &model.Decimation{Percent: new(1e-9)}},
	}
	comparisons := []model.Comparison{model.Less, model.LessOrEqual, model.Greater, model.GreaterOrEqual, model.Equal, model.NotEqual}
	for i, property := range []string{"x", "y_raw", "z", "opacity", "opacity_raw", "scale_0", "scale_1_raw", "scale_2", "f_dc_0", "f_dc_1", "f_dc_2_raw"} {
		inputs = append(inputs, &model.EditInput{FilterValue: &model.ValueFilter{Property: property, Comparison: comparisons[i%len(comparisons)], Value: 1e-30}})
	}
	for _, in := range inputs {
		checked, err := model.ConvertFile{To: model.ConvertToSOG, Edits: []*model.EditInput{in}}.Check(&model.File{ResourceKey: "a.ply", Objects: 1})
		if err != nil {
			t.Errorf("check: %v", err)
			continue
		}
		edits, err := checked.List()
		if err != nil || len(edits) != 1 {
			t.Fatalf("changes: got %v, %v, want one", edits, err)
		}
		if _, err := edit.Parse(edits[0].Name, edits[0].Value); err != nil {
			t.Errorf("%v: got %v, want a step", edits[0], err)
		}
	}
}

// An earlier attempt has stored half of the result. The next attempt replaces all files.
func TestConversion_repeated_gives_the_same_files(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	bad := w.idle(t, withScript("good"), func(o *Options) { o.Store = &failing{Store: w.store, good: 1} })
	if err := w.attempt(t, bad, job); err == nil {
		t.Fatal("first attempt: got nil, want an error")
	}
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("second attempt: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	w.checkTree(t, path.Dir(file.StorageKey())+"/", streamed("sss"))
	if file.Objects != 3 {
		t.Errorf("objects: got %d, want 3", file.Objects)
	}
}

// checkTree compares the stored objects with the wanted ones; all are below one folder.
func (w *world) checkTree(t *testing.T, root string, want map[string]int64) {
	t.Helper()
	got := map[string]int64{}
	for key, size := range w.objects(t) {
		got[strings.TrimPrefix(key, root)] = size
	}
	if !maps.Equal(got, want) {
		t.Errorf("objects: got %v, want %v", got, want)
	}
}
