package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/cmd/portico/command"
	"portico/internal/jsonlines"
	"portico/internal/testkit/api"
	"portico/model"
	"portico/splat/splattest"
	"portico/worker/child"
	"portico/worker/sandbox"
)

// testConfinement looks at the process that converts while it does.
func testConfinement(t *testing.T, server *process) {
	response, err := http.Get(server.URL + "/metrics")
	check(t, err)
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	check(t, err)
	if strings.Contains(string(metrics), `portico_confinement{measure="calls"} 0`) {
		t.Skip("the system lacks seccomp, by which the process is recognised")
	}
	c := server.newUser(t, "prisoner@example.com")
	id := c.StartJob("scan.zip", lccZip(t, splattest.LCCCapture{Folder: "scan", Splats: 30_000, Levels: 2, Columns: 1, Rows: 1, Seed: 3}))
	var status, network string
	api.Eventually(t, "the process that converts is confined", func() bool {
		process := fmt.Sprintf("/proc/%d/", converterID(t, server.dir, id))
		text, _ := os.ReadFile(process + "status") // it may have ended
		network, _ = os.Readlink(process + "ns/net")
		status = string(text)
		return strings.Contains(status, "Seccomp:\t2") // which comes last
	})
	own, err := os.Readlink("/proc/self/ns/net")
	check(t, err)
	for measure, holds := range map[sandbox.Measure]bool{
		sandbox.Network: network != own,
		sandbox.User:    strings.Contains(status, fmt.Sprintf("Uid:\t%d\t", sandbox.UserID)),
	} {
		// A measure that the metrics report as active must be active.
		promised := fmt.Sprintf("portico_confinement{measure=%q} 1\n", measure)
		refused := fmt.Sprintf("portico_confinement{measure=%q} 0\n", measure)
		switch {
		case strings.Contains(string(metrics), refused):
			t.Logf("the system lacks %s", measure)
		case !strings.Contains(string(metrics), promised):
			t.Errorf("metrics: got %s, want %s in it", metrics, promised)
		case !holds:
			t.Errorf("process that converts: got %s in %s, want it confined by %s", status, network, measure)
		}
	}
	if done := c.Await(id); done.Status != "completed" {
		t.Errorf("job: got %+v, want it completed", done)
	}
}

// serveChild carries out a request as a worker's child.
func serveChild(t *testing.T, request child.Request) (stdout, stderr string, code int) {
	t.Helper()
	encoded, err := json.Marshal(request)
	check(t, err)
	return spatial(t, child.Command, string(encoded))
}

// available returns the measures that work here, without the parent's.
func available(t *testing.T) []sandbox.Measure {
	t.Helper()
	stdout, stderr, code := serveChild(t, child.Request{Task: child.TaskConfinement})
	if code != 0 {
		t.Fatalf("confinement: got %d, %s", code, stderr)
	}
	var said struct{ Result child.Result }
	check(t, json.Unmarshal([]byte(stdout), &said))
	measures := slices.DeleteFunc(sandbox.Measures(), func(m sandbox.Measure) bool {
		_, missing := said.Result.Missing[m]
		return missing || m == sandbox.Network
	})
	t.Logf("confined by %s; missing: %v", measures, said.Result.Missing)
	return measures
}

// TestConvert_confined_makes_the_same: what a conversion gives up changes nothing of
// its result, whatever it reads and makes.
func TestConvert_confined_makes_the_same(t *testing.T) {
	t.Parallel()
	measures := available(t)
	manifest := scan(t, 3000)
	made := t.TempDir() // what others are made of
	ply := filepath.Join(made, "tree.ply")
	var body bytes.Buffer
	_, err := trainedPLY(500).Source.WriteTo(&body)
	check(t, err)
	check(t, os.WriteFile(ply, body.Bytes(), 0o600)) // only its owner may read it
	for _, file := range []string{"tree.sog", "tree.png"} {
		if _, stderr, code := spatial(t, "convert", ply, filepath.Join(made, file)); code != 0 {
			t.Fatalf("convert: got %d, %s", code, stderr)
		}
	}
	if _, stderr, code := spatial(t, "convert", manifest, filepath.Join(made, "room")); code != 0 {
		t.Fatalf("convert: got %d, %s", code, stderr)
	}
	for _, from := range []string{
		manifest, ply, filepath.Join(made, "tree.sog"), filepath.Join(made, "room", "lod-meta.json"), filepath.Join(made, "tree.png"),
	} {
		for _, to := range []string{"result/lod-meta.json", "result.sog", "picture.png"} {
			if filepath.Ext(from) == ".png" && to != "picture.png" {
				continue
			}
			t.Run(filepath.Base(from)+" to "+to, func(t *testing.T) {
				t.Parallel()
				free, confined := t.TempDir(), t.TempDir()
				if slices.Contains(measures, sandbox.User) {
					check(t, os.Chown(confined, sandbox.UserID, sandbox.UserID))
				}
				_, _, wantCode := spatial(t, "convert", from, filepath.Join(free, to))
				stdout, stderr, code := serveChild(t, child.Request{
					Task: child.TaskConvert, Input: child.Input{In: from, WholeFolder: true}, Folder: confined, Out: to,
					Memory: 2 << 30, CPU: 10 * time.Minute, FileSize: 100_000_000, Measures: measures,
				})
				if code != wantCode {
					t.Fatalf("convert: got %d, want %d: %s %s", code, wantCode, stdout, stderr)
				}
				if got, want := contents(t, confined), contents(t, free); !maps.Equal(got, want) {
					t.Errorf("result: got %v, want %v", got, want)
				}
			})
		}
	}
}

// contents returns a checksum of each file below a folder.
func contents(t *testing.T, folder string) map[string][32]byte {
	t.Helper()
	found := map[string][32]byte{}
	check(t, filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(at)
		found[strings.TrimPrefix(at, folder)] = sha256.Sum256(body)
		return err
	}))
	return found
}

// One picture is drawn, and scaled to the other sizes. A small image has no larger ones, and does not
// turn.
func TestChild_makes_posters(t *testing.T) {
	t.Parallel()
	ply, small := filepath.Join(t.TempDir(), "tree.ply"), filepath.Join(t.TempDir(), "small.png")
	var body bytes.Buffer
	_, err := trainedPLY(500).Source.WriteTo(&body)
	check(t, err)
	check(t, os.WriteFile(ply, body.Bytes(), 0o600))
	if _, stderr, code := spatial(t, "convert", "--width=400", "--height=250", ply, small); code != 0 {
		t.Fatalf("convert: got %d, %s", code, stderr)
	}
	all := []child.Picture{{Name: "poster.jpg", Width: 640, Height: 400}, {Name: "poster-320.jpg", Width: 320, Height: 200}, {Name: "poster-1280.jpg", Width: 1280, Height: 800}}
	for _, test := range []struct {
		name, in string
		from     *model.PosterView
		want     []child.Picture
	}{
		{"of the whole subject", ply, nil, all},
		{"from a viewpoint", ply, &model.PosterView{Position: [3]float64{-35, -1, 20}, Target: [3]float64{-35, -1, -2}, Up: [3]float64{0, -1, 0}}, all},
		{"of an image", small, nil, []child.Picture{{Name: "poster.jpg", Width: 400, Height: 250}, {Name: "poster-320.jpg", Width: 320, Height: 200}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			stdout, stderr, code := serveChild(t, child.Request{
				Task: child.TaskConvert, Input: child.Input{In: test.in}, Folder: folder, Out: "poster.jpg", Viewpoint: test.from,
				Memory: 2 << 30, CPU: 10 * time.Minute, FileSize: 100_000_000,
			})
			if code != 0 {
				t.Fatalf("convert: got %d, %s %s", code, stdout, stderr)
			}
			line, fault, err := jsonlines.Last(stdout)
			check(t, err)
			var result child.Result
			check(t, json.Unmarshal(line, &result))
			if fault != "" || !slices.Equal(result.Pictures, test.want) {
				t.Errorf("pictures: got %v, %q, want %v", result.Pictures, fault, test.want)
			}
			files := slices.Clone(test.want)
			if turns := test.in == ply; turns != (result.Turntable != nil) {
				t.Errorf("turntable: got %v, want %v", result.Turntable, turns)
			}
			if strip := result.Turntable; strip != nil {
				files = append(files, child.Picture{Name: strip.Name, Width: strip.Width, Height: strip.Height * model.TurntableFrames})
			}
			for _, picture := range files {
				file, err := os.Open(filepath.Join(folder, picture.Name))
				check(t, err)
				made, err := jpeg.DecodeConfig(file)
				check(t, errors.Join(err, file.Close()))
				if made.Width != picture.Width || made.Height != picture.Height {
					t.Errorf("%s: got %d x %d pixels, want %d x %d", picture.Name, made.Width, made.Height, picture.Width, picture.Height)
				}
			}
			if got := entries(t, folder); len(got) != len(files) {
				t.Errorf("files: got %q, want %d", got, len(files))
			}
		})
	}
}

// A worker's .webp is a turntable: the same file as the one of the command line.
func TestChild_makes_a_turntable(t *testing.T) {
	t.Parallel()
	manifest, byHand, folder := scan(t, 60), t.TempDir(), t.TempDir()
	if _, stderr, code := spatial(t, "convert", "--turntable", manifest, filepath.Join(byHand, "scan.webp")); code != 0 {
		t.Fatalf("convert: got %d, %s", code, stderr)
	}
	stdout, stderr, code := serveChild(t, child.Request{
		Task: child.TaskConvert, Input: child.Input{In: manifest, WholeFolder: true}, Folder: folder, Out: "scan.webp",
		Memory: 2 << 30, CPU: 10 * time.Minute, FileSize: 100_000_000,
	})
	if code != 0 || !strings.Contains(stdout, `"format":"webp"`) || !strings.Contains(stdout, `"width":640,"height":400`) {
		t.Fatalf("convert: got %d, %s %s, want a WebP of 640 x 400 pixels", code, stdout, stderr)
	}
	if got, want := contents(t, folder), contents(t, byHand); len(got) != 1 || !maps.Equal(got, want) {
		t.Errorf("result: got %v, want %v", got, want)
	}
}

// A confined process knows nothing beside its input.
func TestInspect_confined_reads_its_input_only(t *testing.T) {
	t.Parallel()
	measures := available(t)
	manifest := scan(t, 100)
	for _, test := range []struct {
		name  string
		whole bool
		code  int
		want  string
	}{
		{"the whole folder", true, 0, `"splats":100`},
		{"the manifest alone", false, command.ExitInput, `"error"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := serveChild(t, child.Request{
				Task: child.TaskInspect, Input: child.Input{In: manifest, WholeFolder: test.whole}, Measures: measures,
			})
			if code != test.code || !strings.Contains(stdout, test.want) {
				t.Errorf("got %d, %s %s, want %d and %s", code, stdout, stderr, test.code, test.want)
			}
		})
	}
	unknown := child.Request{Task: child.TaskInspect, Input: child.Input{In: manifest}, Measures: []sandbox.Measure{"prayer"}}
	if _, stderr, code := serveChild(t, unknown); code != command.ExitFailed || !strings.Contains(stderr, "is not a measure") {
		t.Errorf("unknown measure: got %d, %s, want %d", code, stderr, command.ExitFailed)
	}
}
