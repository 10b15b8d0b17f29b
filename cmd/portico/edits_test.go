package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"portico/splat"
)

// The changes take effect in the order of the command line, and negative numbers need no
// equals sign.
func TestConvert_changes_in_the_order_of_the_flags(t *testing.T) {
	t.Parallel()
	in := scan(t, 400)
	bounds := func(flags ...string) [3]float64 {
		t.Helper()
		out := filepath.Join(t.TempDir(), "made.ply")
		stdout, stderr, code := spatial(t, append(append([]string{"convert", "--json"}, flags...), in, out)...)
		if code != 0 {
			t.Fatalf("%q: exit code %d: %s%s", flags, code, stdout, stderr)
		}
		made := struct {
			Result struct{ Facts splat.Facts }
		}{}
		last := strings.Split(strings.TrimSpace(stdout), "\n")
		check(t, json.Unmarshal([]byte(last[len(last)-1]), &made))
		return made.Result.Facts.Bounds.Min
	}
	plain := bounds()
	// A capture has y down, and is half a turn about z away from the coordinates of the
	// flags: a move by -1 along x is a move by 1.
	for _, test := range []struct {
		flags []string
		want  [3]float64
	}{
		{[]string{"-t", "-1,0,0", "-s", "2"}, [3]float64{2*plain[0] + 2, 2 * plain[1], 2 * plain[2]}},
		{[]string{"-s", "2", "-t", "-1,0,0"}, [3]float64{2*plain[0] + 1, 2 * plain[1], 2 * plain[2]}},
		{[]string{"-t", "0,0,1", "--scale=2", "--translate=0,0,-3", "-N"}, [3]float64{2 * plain[0], 2 * plain[1], 2*plain[2] - 1}},
	} {
		got := bounds(test.flags...)
		for k := range 3 {
			if math.Abs(got[k]-test.want[k]) > 1e-4 {
				t.Errorf("%q: got %v, want %v", test.flags, got, test.want)
				break
			}
		}
	}
}

// Changes after an input are its own, and changes after OUT are the whole's, as in
// splat-transform.
func TestConvert_merges_captures(t *testing.T) {
	t.Parallel()
	one, other, third := scan(t, 400), scan(t, 300), scan(t, 200)
	facts := func(args ...string) splat.Facts {
		t.Helper()
		out := filepath.Join(t.TempDir(), "made.ply")
		for i, arg := range args {
			if arg == "OUT" {
				args[i] = out
			}
		}
		stdout, stderr, code := spatial(t, append([]string{"convert", "--json"}, args...)...)
		if code != 0 {
			t.Fatalf("%q: exit code %d: %s%s", args, code, stdout, stderr)
		}
		made := struct {
			Result struct{ Facts splat.Facts }
		}{}
		last := strings.Split(strings.TrimSpace(stdout), "\n")
		check(t, json.Unmarshal([]byte(last[len(last)-1]), &made))
		return made.Result.Facts
	}
	plain := facts(one, other, third, "OUT")
	if plain.Splats != 900 || plain.Attribution == "" {
		t.Errorf("got %+v, want 900 splats and the attribution", plain)
	}
	// A move by 1000 along x is one by -1000 in the file.
	moved := facts(one, "-t", "1000,0,0", other, "-d", "50%", third, "OUT")
	if got := moved.Splats; got != 400+150+200 {
		t.Errorf("got %d splats, want half of the second capture", got)
	}
	if width := moved.Bounds.Max[0] - moved.Bounds.Min[0]; width < 900 || moved.Bounds.Max[0] > plain.Bounds.Max[0]+1 {
		t.Errorf("got %v, want only the first capture moved from %v", moved.Bounds, plain.Bounds)
	}
	whole := facts(one, other, "OUT", "-t", "1000,0,0", "-F", "-d", "100")
	if whole.Splats != 100 || whole.Bounds.Max[0] > plain.Bounds.Max[0]-900 {
		t.Errorf("got %+v, want 100 splats that are moved", whole)
	}
}
