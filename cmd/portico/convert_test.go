package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"portico/cmd/portico/command"
	"portico/splat/splattest"
)

// scan writes a small LCC v1 capture and returns the path of its manifest.
func scan(t *testing.T, splats int) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "scan")
	check(t, os.Mkdir(folder, 0o755))
	capture := splattest.LCCCapture{Splats: splats, Levels: 2, Columns: 2, Rows: 2, Seed: 1}
	check(t, capture.WriteFolder(folder))
	return filepath.Join(folder, splattest.LCCManifest)
}

// spatial runs one of the spatial commands.
func spatial(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runCommand(t, t.TempDir(), nil, args...)
}

// lines decodes JSON lines.
func lines(t *testing.T, text string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(text) {
		record := map[string]any{}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, record)
	}
	return all
}

// entries names what is in a folder.
func entries(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	check(t, err)
	var names []string
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}

// countFiles counts the files in a folder and below, and their bytes, as JSON has them.
func countFiles(t *testing.T, folder string) (files, bytes float64) {
	t.Helper()
	check(t, filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files, bytes = files+1, bytes+float64(info.Size())
		}
		return err
	}))
	return files, bytes
}

func TestConvert_makes_a_turntable(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "made.webp")
	stdout, stderr, code := spatial(t, "convert", "--json", scan(t, 400), out, "--turntable", "--width", "48", "--height", "30", "--turntable-frames", "4")
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	made, err := os.ReadFile(out)
	check(t, err)
	if frames := strings.Count(string(made), "ANMF"); frames != 4 {
		t.Errorf("frames: got %d, want 4", frames)
	}
	if !strings.Contains(stdout, "Drawing the turntable: frame ") || !strings.Contains(stdout, `"format":"webp","width":48,"height":30`) {
		t.Errorf("output: got %s, want the progress and the facts of the picture", stdout)
	}
	if _, stderr, code = spatial(t, "convert", scan(t, 400), filepath.Join(t.TempDir(), "a.webp"), "--turntable", "--turntable-frames", "1"); code == 0 || !strings.Contains(stderr, "A turntable has 2 to 360 frames, not 1") {
		t.Errorf("one frame: got exit code %d with %s", code, stderr)
	}
	if _, stderr, code = spatial(t, "convert", scan(t, 400), filepath.Join(t.TempDir(), "a.png"), "--turntable"); code == 0 || !strings.Contains(stderr, "a.png: a turntable is a .webp") {
		t.Errorf("a PNG: got exit code %d with %s", code, stderr)
	}
}

func TestConvert_makes(t *testing.T) {
	t.Parallel()
	in := scan(t, 400)
	zipped := filepath.Join(t.TempDir(), "scan.zip")
	f, err := os.Create(zipped)
	check(t, err)
	check(t, splattest.LCCCapture{Folder: "a/b", Splats: 400, Levels: 2, Columns: 1, Rows: 1}.Zip(f))
	check(t, f.Close())
	for _, test := range []struct{ name, in, out, load, format string }{
		{"a folder", in, "made", "made/lod-meta.json", "streamed-sog"},
		{"a manifest's folder", in, "made/lod-meta.json", "made/lod-meta.json", "streamed-sog"},
		{"a folder that is named like a bundle, by its manifest", in, "made.sog/lod-meta.json", "made.sog/lod-meta.json", "streamed-sog"},
		{"a bundle", in, "made.sog", "made.sog", "sog"},
		{"a picture", in, "made.jpg", "made.jpg", "jpeg"},
		{"a lossless picture", in, "made.png", "made.png", "png"},
		{"a WebP picture", in, "made.webp", "made.webp", "webp"},
		{"what a zip holds", zipped, "made.sog", "made.sog", "sog"},
		{"a PLY", in, "made.ply", "made.ply", "ply"},
		{"a compressed PLY", in, "made.compressed.ply", "made.compressed.ply", "compressed-ply"},
		{"SPZ", in, "made.spz", "made.spz", "spz"},
		{"glTF", in, "made.glb", "made.glb", "glb"},
		{"a table", in, "made.csv", "made.csv", "other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir()
			stdout, stderr, code := spatial(t, "convert", "--json", test.in, filepath.Join(at, test.out))
			if code != 0 {
				t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
			}
			printed := lines(t, stdout)
			result, ok := printed[len(printed)-1]["result"].(map[string]any)
			if !ok || result["primary"] != filepath.Base(test.load) {
				t.Errorf("last line: got %v, want a result that names %s", printed[len(printed)-1], filepath.Base(test.load))
			}
			if got := entries(t, at); len(got) != 1 {
				t.Errorf("left beside the result: got %q", got)
			}
			if files, bytes := countFiles(t, at); result["files"] != files || result["bytes"] != bytes {
				t.Errorf("printed %v files and %v bytes, want %v and %v", result["files"], result["bytes"], files, bytes)
			}
			stdout, stderr, code = spatial(t, "inspect", "--json", filepath.Join(at, test.load))
			if code != 0 {
				t.Fatalf("inspect: exit code %d: %s%s", code, stdout, stderr)
			}
			facts := lines(t, stdout)[0]["result"].(map[string]any)["facts"].(map[string]any)
			if facts["format"] != test.format {
				t.Errorf("format: got %v, want %s", facts["format"], test.format)
			}
		})
	}
}

func TestInspect_prints_for_people(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := spatial(t, "inspect", scan(t, 400))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"format       lcc 5.0\n", "splats       400\n", "levels       400 200\n", "attribution  Data Organization Format originated from XGRIDS\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want a line %q", stdout, want)
		}
	}
}

func TestConvert_prints_for_people(t *testing.T) {
	t.Parallel()
	in := scan(t, 400)
	for name, form := range map[string]string{
		"made.ply": ": 1 file, [0-9]+ bytes\n$",
		"made":     ": [0-9]+ files, [0-9]+ bytes\n$",
	} {
		out := filepath.Join(t.TempDir(), name)
		stdout, stderr, code := spatial(t, "convert", in, out)
		if want := regexp.MustCompile("^" + regexp.QuoteMeta(out) + form); code != 0 || !want.MatchString(stdout) {
			t.Errorf("got exit code %d, %q, %q, want %s", code, stdout, stderr, want)
		}
	}
}

// A conversion that leaves something out says so.
func TestConvert_prints_warnings_for_people(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	check(t, splattest.LCCCapture{Splats: 400, Levels: 1, Environment: 100, Seed: 1}.WriteFolder(folder))
	stdout, stderr, code := spatial(t, "convert", filepath.Join(folder, splattest.LCCManifest), filepath.Join(t.TempDir(), "made.spz"))
	if want := "\nwarning: the environment was left out: only streamed SOG can hold it\n"; code != 0 || !strings.HasSuffix(stdout, want) {
		t.Errorf("got exit code %d, %q, %q, want the warning at the end", code, stdout, stderr)
	}
}

func TestConvert_refuses(t *testing.T) {
	t.Parallel()
	capture := scan(t, 400)
	for _, test := range []struct {
		name    string
		flags   []string
		in, out string
		code    int
		want    string // on standard error, or in JSON on standard output
	}{
		{"a bad file", nil, "bad.ply", "a.sog", command.ExitInput, "is not a PLY file"},
		{"a bad file, in JSON", []string{"--json"}, "bad.ply", "a.sog", command.ExitInput, `{"error":"\"bad.ply\" is not a PLY file, although its name ends in .ply. Export it again, or rename it to what it is."}`},
		{"what is not there", nil, "none.ply", "a.sog", command.ExitFailed, "no such file"},
		{"to overwrite", nil, capture, "taken.sog", command.ExitFailed, "taken.sog exists; name a new file or an empty folder"},
		{"a format that is not written", nil, capture, "a.ksplat", command.ExitFailed, "cannot convert to .ksplat"},
		{"a picture among captures", []string{capture}, "bad.ply", "a.sog", command.ExitInput, "is not a PLY file"},
		{"an invalid change", []string{"--rotate=1,2"}, capture, "a.ply", command.ExitFailed, `--rotate: "1,2" has 2 numbers instead of 3`},
		{"filters that leave nothing", []string{"-S", "9000,0,0,1"}, capture, "a.ply", command.ExitInput, "The filters remove all Gaussians"},
		{"axes that are none", []string{"--spz-axes=UUU"}, capture, "a.ply", command.ExitInput, `"UUU" does not name the axes of an SPZ file`},
		{"a version of SPZ that is not written", []string{"--spz-version=2"}, capture, "a.spz", command.ExitFailed, "--spz-version"},
		{"a picture of no size", []string{"--width=-1"}, capture, "a.png", command.ExitInput, "A picture has 1 to 4096 pixels on each side, not -1 x 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir()
			check(t, os.WriteFile(filepath.Join(at, "bad.ply"), []byte("no ply"), 0o600))
			check(t, os.WriteFile(filepath.Join(at, "taken.sog"), []byte("mine"), 0o600))
			in := test.in
			if !filepath.IsAbs(in) {
				in = filepath.Join(at, in)
			}
			stdout, stderr, code := spatial(t, append(append([]string{"convert"}, test.flags...), in, filepath.Join(at, test.out))...)
			if said := stdout + stderr; code != test.code || !strings.Contains(said, test.want) {
				t.Errorf("got exit code %d, %q, want %d, %q", code, said, test.code, test.want)
			}
			if got, want := entries(t, at), []string{"bad.ply", "taken.sog"}; !slices.Equal(got, want) {
				t.Errorf("in the folder: got %q, want %q", got, want)
			}
		})
	}
}

func TestConvert_fails_above_its_memory_limit(t *testing.T) {
	t.Parallel()
	const want = "out of memory: the capture needs more than 1000000 bytes; raise --memory, or use a smaller capture"
	in := scan(t, 20_000) // fewer may fit into what the runtime has already
	for _, test := range []struct {
		name           string
		args           []string
		stdout, stderr string
	}{
		{"for people", []string{"convert", "--memory=1MB", in}, "", "portico: " + want + "\n"},
		{"for programs", []string{"convert", "--json", "--memory=1MB", in}, `{"error":"` + want + `"}` + "\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir()
			// The runtime crashes in several ways, depending on what needs the memory.
			for range 5 {
				stdout, stderr, code := spatial(t, append(test.args, filepath.Join(at, "a.sog"))...)
				// Progress may come before the end.
				stdout = stdout[strings.LastIndexByte(strings.TrimSuffix(stdout, "\n"), '\n')+1:]
				if stdout != test.stdout || stderr != test.stderr || code != command.ExitMemory {
					t.Errorf("got exit code %d, %q, %q, want %d, %q, %q", code, stdout, stderr, command.ExitMemory, test.stdout, test.stderr)
				}
			}
			if got := entries(t, at); len(got) != 0 {
				t.Errorf("left: got %q, want nothing", got)
			}
		})
	}
}

func TestConvert_stops_at_a_signal_and_leaves_nothing(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	in := scan(t, 300_000) // so many that it is still at work when the signal comes
	cmd := installation(t.TempDir()).Command(nil, "convert", "--json", in, filepath.Join(at, "made"))
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	if !bufio.NewScanner(out).Scan() { // it is at work
		t.Error("no progress was printed")
	}
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err == nil {
		t.Error("it ended as if it had finished")
	} else if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != command.ExitFailed {
		t.Errorf("got %v, want exit code %d", err, command.ExitFailed)
	}
	if got := entries(t, at); len(got) != 0 {
		t.Errorf("left: got %q, want nothing", got)
	}
}

// A picture needs only the coarsest level of a capture, but a missing chunk is named all the same.
func TestConvert_draws_nothing_that_inspect_calls_damaged(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if _, stderr, code := spatial(t, "convert", scan(t, 400), filepath.Join(at, "made")); code != 0 {
		t.Fatal(stderr)
	}
	content, err := os.ReadFile(filepath.Join(at, "made", "lod-meta.json"))
	check(t, err)
	var index struct{ Counts []int }
	check(t, json.Unmarshal(content, &index))
	check(t, os.CopyFS(filepath.Join(at, "made", "copy"), os.DirFS(filepath.Join(at, "made", "0_0"))))
	write := func(missing string) {
		tree := fmt.Sprintf(`{"lods":{"0":{"file":0,"offset":0,"count":%[1]d},"1":{"file":1,"offset":0,"count":%[1]d}}},{"lods":{"0":{"file":2,"offset":0,"count":1}}}`, index.Counts[0])
		check(t, os.WriteFile(filepath.Join(at, "made", "lod-meta.json"),
			fmt.Appendf(nil, `{"lodLevels":2,"filenames":["0_0/meta.json","copy/meta.json",%q],"tree":{"children":[%s]}}`, missing, tree), 0o600))
	}
	write("9_9/meta.json")
	for _, out := range []string{"a.jpg", "a.png", "a.webp"} {
		stdout, stderr, code := spatial(t, "convert", filepath.Join(at, "made", "lod-meta.json"), filepath.Join(at, out))
		if code != command.ExitInput || !strings.Contains(stdout+stderr, `"9_9/meta.json" is missing`) {
			t.Errorf("%s: got exit code %d, %q, want %d and the missing chunk", out, code, stdout+stderr, command.ExitInput)
		}
	}
}
