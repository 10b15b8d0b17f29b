package lcc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc"
	"portico/splat/splattest"
)

// captures are good ones of several shapes.
func captures() map[string]splattest.LCCCapture {
	return map[string]splattest.LCCCapture{
		"one cell":           {Splats: 100},
		"many cells":         {Splats: 3000, Levels: 3, Columns: 5, Rows: 4, Seed: 1},
		"with harmonics":     {Splats: 2000, Levels: 2, Columns: 3, Rows: 2, Harmonics: true, Environment: 50},
		"with a sky":         {Splats: 500, Levels: 1, Columns: 2, Environment: 5000},
		"more cells than it": {Splats: 30, Levels: 4, Columns: 10, Rows: 5, Harmonics: true},
		"levels of nothing":  {Splats: 5, Levels: 6},
	}
}

func TestCapture_gives_every_splat(t *testing.T) {
	t.Parallel()
	for name, truth := range captures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, folder.Memory(truth.Memory()))
			cloud := &gaussian.Cloud{}
			for level, count := range c.Levels() {
				order := numbers(0, count)
				rand.New(rand.NewPCG(1, 1)).Shuffle(count, func(i, j int) { order[i], order[j] = order[j], order[i] })
				if err := c.Read(t.Context(), level, order, cloud); err != nil {
					t.Fatalf("read: %v", err)
				}
				positions := make([]float32, 3*count)
				if err := c.Positions(t.Context(), level, positions, nil); err != nil {
					t.Fatalf("positions: %v", err)
				}
				for i, n := range order {
					wantSplat(t, cloud, i, truth.Splat(level, int(n)))
					if got, want := [3]float32(positions[3*n:]), [3]float32(cloud.Positions[3*i:]); got != want {
						t.Errorf("position of %d at level %d: got %v, want %v", n, level, got, want)
					}
				}
			}
			if err := c.Environment(t.Context(), cloud); err != nil {
				t.Fatalf("environment: %v", err)
			}
			if got, want := cloud.Len(), truth.Environment; got != want {
				t.Fatalf("environment: got %d splats, want %d", got, want)
			}
			for i := range cloud.Len() {
				wantSplat(t, cloud, i, truth.EnvironmentSplat(i))
			}
		})
	}
}

func TestFacts_equal_the_capture(t *testing.T) {
	t.Parallel()
	truth := splattest.LCCCapture{Splats: 9, Levels: 6, Columns: 2, Harmonics: true, Environment: 3}
	c := open(t, folder.Memory(truth.Memory()))
	low, high := truth.Bounds()
	// The fifth and the sixth level would be empty.
	want := lcc.Facts{Version: "5.0", Levels: []int64{9, 4, 2, 1}, Degree: 3, Environment: 3, Min: low, Max: high}
	if diff := cmp.Diff(want, c.Facts()); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestOpen_reads_a_folder_on_disk(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	truth := splattest.LCCCapture{Splats: 50, Harmonics: true}
	if err := truth.WriteFolder(at); err != nil {
		t.Fatal(err)
	}
	directory, err := folder.OpenLocal(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() }) // read only
	cloud := &gaussian.Cloud{}
	c := open(t, directory)
	if err := c.Read(t.Context(), 0, []uint32{49}, cloud); err != nil {
		t.Fatal(err)
	}
	wantSplat(t, cloud, 0, truth.Splat(0, 49))
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for _, hostile := range splattest.HostileLCC() {
		t.Run(hostile.Name, func(t *testing.T) {
			t.Parallel()
			err := readAll(t.Context(), folder.Memory(hostile.Files), splattest.LCCManifest)
			fault, ok := errors.AsType[*input.Error](err)
			if !ok {
				t.Fatalf("error: got %v, want an input.Error with %q", err, hostile.Reason)
			}
			if fault.File != hostile.Entry || !strings.Contains(fault.Message, hostile.Reason) {
				t.Errorf("error: got %v (entry %q), want entry %q and %q", err, fault.File, hostile.Entry, hostile.Reason)
			}
		})
	}
}

// editedCapture returns a small capture with harmonics and another manifest.
func editedCapture(pairs ...string) folder.Memory {
	m := folder.Memory(splattest.LCCCapture{Splats: 20, Harmonics: true}.Memory())
	m[splattest.LCCManifest] = []byte(strings.NewReplacer(pairs...).Replace(string(m[splattest.LCCManifest])))
	return m
}

func TestOpen_forgives(t *testing.T) {
	t.Parallel()
	without := func(m folder.Memory, name string) folder.Memory {
		delete(m, name)
		return m
	}
	for name, test := range map[string]struct {
		folder folder.Memory
		degree int
	}{
		"a byte order mark":                 {editedCapture("{\n\t\"", "\xef\xbb\xbf{\n\t\""), 3},
		"trailing commas":                   {editedCapture("]", ",]", "}", ",\n}"), 3},
		"a name with commas and quotes":     {editedCapture(`"capture"`, `"a ,] \" ,}"`, "]", ",]"), 3},
		"a version that is a number":        {editedCapture(`"5.0"`, "5"), 3},
		"totals that are wrong":             {editedCapture(`"totalSplats": 20`, `"totalSplats": 7`), 3},
		"no type":                           {editedCapture(`"Quality"`, `""`), 3},
		"no type and no harmonics":          {without(editedCapture(`"Quality"`, `""`), "shcoef.bin"), 0},
		"no type and no range of harmonics": {editedCapture(`"Quality"`, `""`, `"shcoef"`, `"x"`), 0},
		"harmonics that the type denies":    {editedCapture(`"Quality"`, `"Portable"`), 0},
		"a sky without ranges of its own":   {withSky(editedCapture(`"env`, `"x`)), 3},
		"an environment without any splat":  {withFile(editedCapture(), "environment.bin", nil), 3},
		"a version that is far too long":    {editedCapture(`"5.0"`, `"`+strings.Repeat("5", 1000)+`"`), 3},
		"data behind the last splat":        {withFile(editedCapture(), "data.bin", make([]byte, 10_000)), 3},
		"harmonics after the last splat":    {withFile(editedCapture(), "shcoef.bin", make([]byte, 10_000)), 3},
		"names as the white paper has them": {capitals(editedCapture()), 3},
		"an encoding that is empty":         {editedCapture(`"COMPRESS"`, `""`), 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, test.folder)
			if got := c.Degree(); got != test.degree {
				t.Errorf("degree: got %d, want %d", got, test.degree)
			}
			if err := readAll(t.Context(), test.folder, splattest.LCCManifest); err != nil {
				t.Errorf("read all: got %v, want nil", err)
			}
		})
	}
}

// capitals renames the files beside the manifest.
func capitals(m folder.Memory) folder.Memory {
	for name, to := range map[string]string{"index.bin": "Index.bin", "data.bin": "Data.bin", "shcoef.bin": "Shcoef.bin"} {
		m[to] = m[name]
		delete(m, name)
	}
	return m
}

func withSky(m folder.Memory) folder.Memory {
	return withFile(m, "environment.bin", splattest.LCCCapture{Harmonics: true, Environment: 3}.Memory()["environment.bin"])
}

func withFile(m folder.Memory, name string, content []byte) folder.Memory {
	m[name] = content
	return m
}

func TestRead_is_for_several_goroutines(t *testing.T) {
	t.Parallel()
	truth := splattest.LCCCapture{Splats: 2000, Columns: 4, Harmonics: true}
	c := open(t, folder.Memory(truth.Memory()))
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			cloud := &gaussian.Cloud{}
			for round := range 3 {
				from := 200*k + 50*round
				if err := c.Read(t.Context(), 0, numbers(from, from+100), cloud); err != nil {
					t.Errorf("read: %v", err)
					return
				}
				wantSplat(t, cloud, 99, truth.Splat(0, from+99))
			}
		})
	}
	all.Wait()
}

func ExampleOpen() {
	files := splattest.LCCCapture{Splats: 1000, Levels: 3}.Memory()
	c, err := lcc.Open(context.Background(), folder.Memory(files), splattest.LCCManifest)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Println(c.Levels(), "splats of degree", c.Degree())
	// Output: [1000 500 250] splats of degree 0
}
