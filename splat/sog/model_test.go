package sog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
)

func TestWrite_names_the_model(t *testing.T) {
	t.Parallel()
	for _, model := range []sog.Model{"", sog.Antialiased, sog.Discs} {
		for _, form := range forms() {
			reader, _ := form.write(t, gaussian.NewMemorySource(nil, capture(100, 0, 1)), sog.Options{Model: model})
			if got := reader.Model(); got != model {
				t.Errorf("%s: got the model %q, want %q", form.name, got, model)
			}
		}
	}
	for model, want := range map[sog.Model]string{"": "", sog.Antialiased: `"antialias":true,"model":"antialiased"`, sog.Discs: `"model":"2dgs"`} {
		written := newRecordingFolder()
		if _, err := sog.WriteFolder(t.Context(), gaussian.NewMemorySource(nil, capture(100, 0, 1)), written, sog.Options{Model: model}); err != nil {
			t.Fatal(err)
		}
		manifest := string(written.Memory["meta.json"])
		if !strings.Contains(manifest, want) || strings.Contains(manifest, "antialias") != (model == sog.Antialiased) || strings.Contains(manifest, "model") != (model != "") {
			t.Errorf("%q: got the manifest %.120s, want %s in it", model, manifest, want)
		}
	}
}

func TestOpen_reads_the_model_of_every_writer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]sog.Model{
		`{"antialias": true}`:                         sog.Antialiased, // the published format
		`{"antialias": false}`:                        "",
		`{"model": "antialiased"}`:                    sog.Antialiased, // splat-transform 3.7
		`{"model": "2dgs"}`:                           sog.Discs,
		`{"model": "2dgs", "antialias": true}`:        sog.Discs,
		`{"model": "tomorrow's"}`:                     "",
		`{"model": ["a", 1], "antialias": {"a": 1}}`:  "",
		`{"model": null, "antialias": null}`:          "",
		`{"model": "default", "antialias": "yes, 1"}`: "",
	} {
		files := smallFolder(t)
		var m object
		if err := json.Unmarshal(files["meta.json"], &m); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		files["meta.json"], _ = json.Marshal(m)
		if got := open(t, files, "meta.json").Model(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		streamed := folder.Memory{"lod-meta.json": []byte(`{"lodLevels":1,"filenames":["0_0/meta.json"],"tree":{"bound":{"min":[-1,-2,-3],"max":[1,2,3]},"lods":{"0":{"file":0,"offset":0,"count":100}}}}`)}
		for name, content := range files {
			streamed["0_0/"+name] = content
		}
		if got := open(t, streamed, "lod-meta.json").Model(); got != want {
			t.Errorf("streamed, %s: got %q, want %q", text, got, want)
		}
	}
}
