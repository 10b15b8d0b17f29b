package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/race"
	"portico/splat/splattest"
)

// TestReadme_commands_work runs the commands of the README, from the first request to the
// converted files, as a newcomer pastes them into a shell: each must succeed.
func TestReadme_commands_work(t *testing.T) {
	t.Parallel()
	race.SkipConversions(t)
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	server := serve(t, dataDir(t))
	dir := t.TempDir()
	writeCapture(t, filepath.Join(dir, "capture.zip"))
	spz, err := os.ReadFile("../../splat/spz/testdata/v3-degree3.spz")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "phone.spz"), spz, 0o600))

	script := strings.NewReplacer("./bin/portico view capture.zip", viewForAMoment, "./bin/portico", `"$PROGRAM"`, "http://127.0.0.1:8080", server.URL).Replace(readmeCommands(t))
	shell := installation(server.dir, append(server.settings, "PROGRAM="+os.Args[0])...).Command(nil)
	shell.Path, shell.Args, shell.Dir = "/usr/bin/env", []string{"env", "bash", "-euo", "pipefail"}, dir
	shell.Stdin = strings.NewReader("curl() { command curl --fail-with-body --no-progress-meter \"$@\"; echo; }\n" + script)
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("commands of the README: %v\n%s", err, output)
	}
	for _, want := range []string{`"email":"ada@example.com"`, `"status":"COMPLETED"`, `"UserModelEntity"`, "Space privacy updated", "capture.zip is open at"} {
		if !bytes.Contains(output, []byte(want)) {
			t.Errorf("output: want %s in\n%s", want, output)
		}
	}
	for _, name := range []string{"room/lod-meta.json", "poster.jpg", "room.ply", "room.voxel.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("converted file: %v", err)
		}
	}
	if status := server.NewClient(t, "visitor@example.com").Call("GET", "/v1/user/me", nil).Status; status != http.StatusOK {
		t.Errorf("server after the commands: got %d, want 200", status)
	}
}

// viewForAMoment stops the viewer, which a person ends with Ctrl-C, as soon as it is open.
const viewForAMoment = `exec 3< <(exec "$PROGRAM" view --no-open capture.zip); VIEWER=$!; grep -m1 "is open at" <&3; kill $VIEWER; wait $VIEWER`

// readmeCommands returns the indented lines between "One request" and "How it works".
func readmeCommands(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	check(t, err)
	_, after, _ := strings.Cut(string(page), "\n## One request\n")
	section, _, found := strings.Cut(after, "\n## How it works\n")
	if !found {
		t.Fatal("README.md: want the sections One request and How it works")
	}
	var commands strings.Builder
	for line := range strings.Lines(section) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			commands.WriteString(command)
		}
	}
	return commands.String()
}

// writeCapture writes a zipped LCC capture.
func writeCapture(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	check(t, err)
	capture := splattest.LCCCapture{Folder: "room", Splats: 3000, Levels: 2, Columns: 1, Rows: 1, Seed: 1}
	check(t, errors.Join(capture.Zip(file), file.Close()))
}
