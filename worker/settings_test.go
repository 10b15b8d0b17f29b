package worker

import (
	"strings"
	"testing"

	"portico/model"
	"portico/splat/splattest"
)

// The settings of SuperSplat's viewer are kept with a capture that they came with, if they can be read.
func TestSettings_come_with_a_capture(t *testing.T) {
	t.Parallel()
	const settings = `{"version":2,"cameras":[{"initial":{"position":[0,1,2],"target":[0,0,0],"fov":60}}]}`
	file := func(name, body string) splattest.Entry { return splattest.Entry{Name: name, Body: []byte(body)} }
	const capture = "\x1f\x8b"
	page := strings.Replace(htmlWith("PK\x03\x04 a bundle"), "<script>", "<script>const settings = "+settings+";", 1)
	zip := func(entries ...splattest.Entry) func(*testing.T, *world) *model.Job {
		return func(t *testing.T, w *world) *model.Job {
			t.Helper()
			return w.submitZip(t, entries...)
		}
	}
	for name, test := range map[string]struct {
		submit func(*testing.T, *world) *model.Job
		want   string
	}{
		"beside a capture":          {zip(file("c/a.spz", capture), file("c/settings.json", settings)), settings},
		"in another folder":         {zip(file("c/a.spz", capture), file("settings.json", settings)), ""},
		"that are something else":   {zip(file("a.spz", capture), file("settings.json", `{"theme":"dark"}`)), ""},
		"that are too large":        {zip(file("a.spz", capture), file("settings.json", settings+strings.Repeat(" ", 300_000))), ""},
		"in the page of a viewer":   {func(t *testing.T, w *world) *model.Job { return w.submit(t, "a.html", strings.NewReader(page)) }, settings},
		"in a zipped page":          {zip(file("v/index.html", page)), settings},
		"beside the page of a zip":  {zip(file("v/index.html", htmlWith("PK\x03\x04 a bundle")), file("v/settings.json", settings)), settings},
		"beside a streamed capture": {zip(append(streamedSOG(), file("settings.json", settings))...), settings},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := test.submit(t, w)
			if err := w.attempt(t, w.idle(t), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			got, err := w.db.Splats().Settings(t.Context(), w.awaitCompleted(t, job.ID).UploadID)
			if err != nil || string(got) != test.want {
				t.Errorf("settings: got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// streamedSOG returns the files of a streamed SOG.
func streamedSOG() []splattest.Entry {
	const meta = `{"version":2,"means":{"files":["means_l.webp"]},"scales":{"files":["scales.webp"]},"quats":{"files":["quats.webp"]},"sh0":{"files":["sh0.webp"]}}`
	entries := []splattest.Entry{
		{Name: "lod-meta.json", Body: []byte(`{"lodLevels":1,"filenames":["c/meta.json"],"tree":{}}`)}, {Name: "c/meta.json", Body: []byte(meta)},
	}
	for _, picture := range []string{"means_l", "scales", "quats", "sh0"} {
		entries = append(entries, splattest.Entry{Name: "c/" + picture + ".webp", Body: []byte(picture)})
	}
	return entries
}
