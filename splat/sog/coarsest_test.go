package sog_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

// The coarsest files of a written capture are the files of its last level and of its
// environment, and no others.
func TestCoarsestFiles_of_a_written_capture(t *testing.T) {
	t.Parallel()
	written := newRecordingFolder()
	source := gaussian.NewMemorySource(capture(300, 0, 3), capture(2200, 1, 1), capture(900, 1, 2))
	if _, err := sog.WriteDivided(t.Context(), source, written, sog.Options{}, 1000, 300); err != nil {
		t.Fatal(err)
	}
	read := func(name string) ([]byte, error) { return written.Memory[name], nil }
	got, err := sog.CoarsestFiles(written.Memory["lod-meta.json"], 100, read)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name := range written.Memory {
		if strings.HasPrefix(name, "1_") || strings.HasPrefix(name, "env/") {
			want = append(want, name)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("files: got %q, want %q", got, want)
	}
	if few, err := sog.CoarsestFiles(written.Memory["lod-meta.json"], 1, read); err != nil || few != nil {
		t.Errorf("of more chunks than the maximum: got %q and %v, want none", few, err)
	}
}

func TestCoarsestFiles_of_foreign_captures(t *testing.T) {
	t.Parallel()
	index := func(file string) string {
		return `{"filenames":["` + file + `"],"tree":{"lods":{"0":{"file":0,"offset":0,"count":1},"3":{"file":7,"offset":0,"count":1}}}}`
	}
	for _, row := range []struct {
		name, index, meta string
		want              []string
		fails             bool
	}{
		{name: "a level without a file", index: index("a/meta.json")},
		{name: "a bundle", index: strings.Replace(index("a.sog"), `,"3":{"file":7,"offset":0,"count":1}`, "", 1), want: []string{"a.sog"}},
		{name: "no JSON", index: "{", fails: true},
		{name: "a chunk outside the folder", index: strings.Replace(index("../meta.json"), `"3"`, `"0"`, 1), fails: true},
		{name: "an absolute address", index: strings.Replace(index("/x/meta.json"), `"3"`, `"0"`, 1), fails: true},
		{name: "an image outside the folder", index: strings.Replace(index("a/meta.json"), `"3"`, `"0"`, 1), meta: `{"means":{"files":["../../x"]}}`, fails: true},
		{name: "a damaged chunk", index: strings.Replace(index("a/meta.json"), `"3"`, `"0"`, 1), meta: "[", fails: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := sog.CoarsestFiles([]byte(row.index), 4, func(name string) ([]byte, error) {
				if path.Base(name) != "meta.json" {
					return nil, errors.New("no manifest")
				}
				return []byte(row.meta), nil
			})
			if (err != nil) != row.fails || !slices.Equal(got, row.want) {
				t.Errorf("got %q and %v, want %q and an error: %t", got, err, row.want, row.fails)
			}
		})
	}
}
