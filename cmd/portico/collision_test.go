package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestConvert_makes_a_collision(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	stdout, stderr, code := spatial(t, "convert", "--json", "--voxel-size=0.5", scan(t, 400), filepath.Join(at, "scan.voxel.json"))
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if got, want := entries(t, at), []string{"scan.voxel.bin", "scan.voxel.json"}; !slices.Equal(got, want) {
		t.Errorf("files: got %q, want %q", got, want)
	}
	printed := lines(t, stdout)
	result := printed[len(printed)-1]["result"].(map[string]any)
	if files, bytes := countFiles(t, at); result["files"] != files || result["bytes"] != bytes {
		t.Errorf("got %v files and %v bytes, want %v and %v", result["files"], result["bytes"], files, bytes)
	}
	facts := result["facts"].(map[string]any)
	start, ok := result["start"].(map[string]any)
	if !ok || facts["format"] != "voxels" || start["scene"] == "" || len(start["position"].([]any)) != 3 {
		t.Errorf("got %v, want voxels with a start", result)
	}
	document, err := os.ReadFile(filepath.Join(at, "scan.voxel.json"))
	check(t, err)
	if !strings.Contains(string(document), `"voxelResolution": 0.5`) {
		t.Errorf("got %s, want voxels of 0.5 m", document)
	}
}

func TestConvert_makes_a_collision_mesh(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	out := filepath.Join(at, "scan.collision.glb")
	stdout, stderr, code := spatial(t, "convert", "--json", "--voxel-size=0.5", "--collision-mesh=faces", scan(t, 400), out)
	if code != 0 || len(entries(t, at)) != 1 || !strings.Contains(stdout, `"start"`) {
		t.Fatalf("exit code %d: got %s%s and %q, want one file and a start", code, stdout, stderr, entries(t, at))
	}
	stdout, stderr, code = spatial(t, "inspect", out)
	if code != 0 || !strings.Contains(stdout, "triangles") {
		t.Errorf("inspect: exit code %d: %s%s, want a mesh", code, stdout, stderr)
	}
}

func TestConvert_makes_a_collision_by_given_steps(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	stdout, stderr, code := spatial(t, "convert", "--json", "--voxel-size=0.5", "--voxel-floor-fill=1", "--voxel-carve=1.6,0.2",
		"--seed-pos=0,1,0", scan(t, 400), filepath.Join(at, "scan.voxel.json"))
	if code != 0 || strings.Contains(stdout, `"start"`) || !strings.Contains(stdout, `"voxels"`) {
		t.Errorf("exit code %d: got %s%s, want voxels without a start", code, stdout, stderr)
	}
}

func TestConvert_refuses_a_collision(t *testing.T) {
	t.Parallel()
	in := scan(t, 50)
	for _, test := range []struct {
		name string
		flag string
		want string
	}{
		{"with voxels of no size", "--voxel-size=-1", "must not be negative"},
		{"of any opacity", "--voxel-opacity=2", "above 0 and below 1"},
		{"from half a place", "--seed-pos=1,2", "has 2 numbers, and must have 3"},
		{"for a person without numbers", "--voxel-carve=a,b", `"a" is not a finite number`},
		{"for a person without a height", "--voxel-carve=NaN,1", `"NaN" is not a finite number`},
		{"from an infinite distance", "--seed-pos=0,0,Inf", `"Inf" is not a finite number`},
		{"with voxels of a size that is not a number", "--voxel-size=NaN", "must be finite numbers"},
		{"with an infinite fill", "--voxel-floor-fill=Inf", "must be finite numbers"},
		{"of an opacity that is not a number", "--voxel-opacity=NaN", "above 0 and below 1"},
		{"of an unknown kind", "--scene=moon", "--scene"},
		{"with voxels as small as grains", "--voxel-size=0.00001", "too large for voxels of 1e-05 m"},
		{"over another one", "--voxel-size=1", "taken.voxel.bin exists"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir()
			check(t, os.WriteFile(filepath.Join(at, "taken.voxel.bin"), []byte("mine"), 0o600))
			out := "new.voxel.json"
			if strings.Contains(test.want, "taken") {
				out = "taken.voxel.json"
			}
			stdout, stderr, code := spatial(t, "convert", test.flag, in, filepath.Join(at, out))
			if code == 0 || !strings.Contains(stdout+stderr, test.want) {
				t.Errorf("exit code %d: got %q, want %q", code, stdout+stderr, test.want)
			}
			if got := entries(t, at); len(got) != 1 {
				t.Errorf("in the folder: got %q", got)
			}
		})
	}
}
