package splattest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/splattest"
)

// lcc has more cells than its coarsest level has splats.
var lcc = splattest.LCCCapture{Splats: 50, Levels: 4, Columns: 3, Rows: 3, Harmonics: true, Environment: 7, Seed: 3}

func TestLCCCapture_is_the_same_in_every_form(t *testing.T) {
	t.Parallel()
	want := lcc.Memory()
	directory := t.TempDir()
	if err := lcc.WriteFolder(directory); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	zipped := lcc
	zipped.Folder = "export"
	if err := zipped.Zip(&b); err != nil {
		t.Fatal(err)
	}
	unzipped := files(t, b.Bytes())
	for name, content := range want {
		onDisk, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(onDisk, content) || unzipped["export/"+name] != string(content) {
			t.Errorf("%s: got %d bytes on disk and %d zipped, want the same %d", name, len(onDisk), len(unzipped["export/"+name]), len(content))
		}
	}
	if got, want := len(unzipped), len(want); got != want {
		t.Errorf("zip: got %d files, want %d", got, want)
	}
}

func TestLCCCapture_has_files_of_the_right_sizes(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for name, content := range lcc.Memory() {
		if name != splattest.LCCManifest {
			got[name] = len(content)
		}
	}
	const splats = 50 + 25 + 12 + 6
	want := map[string]int{"index.bin": 9 * (4 + 4*16), "data.bin": 32 * splats, "shcoef.bin": 64 * splats, "environment.bin": 7 * 96}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}

func TestLCCCapture_puts_splats_into_their_cells(t *testing.T) {
	t.Parallel()
	low, _ := lcc.Bounds()
	for level := range lcc.Counts() {
		number := 0
		for cell := range lcc.Cells() {
			for range lcc.CellCount(level, cell) {
				p := lcc.Splat(level, number).Position
				if x, y := int((float64(p[0])-low[0])/10), int((float64(p[1])-low[1])/10); x+3*y != cell {
					t.Errorf("level %d, splat %d: got cell %d, %d, want cell %d", level, number, x, y, cell)
				}
				number++
			}
		}
		if number != lcc.Counts()[level] {
			t.Errorf("level %d: got %d splats in cells, want %d", level, number, lcc.Counts()[level])
		}
	}
}

func TestHostileLCC_has_the_named_fault(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, hostile := range splattest.HostileLCC() {
		if seen[hostile.Name] || hostile.Reason == "" || hostile.Entry == "" || hostile.Files == nil {
			t.Errorf("%q: got a second one of that name, or one without files or a reason", hostile.Name)
		}
		seen[hostile.Name] = true
	}
}
