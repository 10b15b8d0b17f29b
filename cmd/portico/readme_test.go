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

	"portico/internal/testkit/s3"
	"portico/splat/splattest"
)

// TestReadme_commands_work runs the commands of docs/quickstart.md and of the README, as a newcomer
// pastes them into a shell: each must succeed.
func TestReadme_commands_work(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	server := serve(t, dataDir(t))
	dir := t.TempDir()
	writeCapture(t, filepath.Join(dir, "capture.zip"))
	check(t, os.WriteFile(filepath.Join(dir, "chair.glb"), []byte("glTF"), 0o600)) // stored, whatever is in it

	newKey := "KEY=$(./bin/portico user add ada@example.com --pro | jq -r .api_key)\n"
	quick := commandsOf(t, "docs/quickstart.md", "One request", "")
	readme, found := strings.CutPrefix(commandsOf(t, "README.md", "For programs", "How it works"), newKey)
	if !found || !strings.HasPrefix(quick, newKey) {
		t.Error("README.md and docs/quickstart.md: want both to begin with the same account")
	}
	script := strings.NewReplacer(
		"./bin/portico view capture.zip", viewForAMoment, "./bin/portico", `"$PROGRAM"`, "--space SPACE", "--space $SPACE",
		"http://127.0.0.1:8080", server.URL,
	).Replace(quick + readme)
	shell := installation(server.dir, append(server.settings, "PROGRAM="+os.Args[0], "PORTICO_URL="+server.URL)...).Command(nil)
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
	for _, name := range []string{"room/lod-meta.json", "poster.jpg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("converted file: %v", err)
		}
	}
	if status := server.NewClient(t, "visitor@example.com").Call("GET", "/v1/user/me", nil).Status; status != http.StatusOK {
		t.Errorf("server after the commands: got %d, want 200", status)
	}
}

// TestUploadCommands_work_with_a_bucket runs the upload of docs/clients.md and of docs/quickstart.md
// on a server whose files are in a bucket, which signs more headers than the data folder does.
func TestUploadCommands_work_with_a_bucket(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	gateway := s3.Start(t)
	server := serve(t, dataDir(t), append(s3.Environment(), "PORTICO_STORAGE_URL=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint, "PORTICO_WORKERS=0")...)
	key := server.newUser(t, "ada@example.com").Key
	dir := t.TempDir()
	writeCapture(t, filepath.Join(dir, "capture.zip"))
	check(t, os.WriteFile(filepath.Join(dir, "room.ply"), []byte("ply"), 0o600)) // not read here
	quick, _, found := strings.Cut(commandsOf(t, "docs/quickstart.md", "Publish a capture", ""), "curl -N ")
	client, _, cut := strings.Cut(commandsOf(t, "docs/clients.md", "An uploader", "A command line"), "export ")
	if !found || !cut {
		t.Fatal("docs/quickstart.md and docs/clients.md: want the upload before the subscription, and before portico upload")
	}
	script := "API=" + server.URL + "/v1\nAUTH=\"Authorization: Bearer $KEY\"\n" + quick + "echo JOB $JOB\n" +
		strings.Replace(client, "https://portico.example", server.URL, 1)
	shell := exec.CommandContext(t.Context(), "env", "KEY="+key, "bash", "-euo", "pipefail")
	shell.Dir = dir
	shell.Stdin = strings.NewReader("curl() { command curl --fail-with-body --no-progress-meter \"$@\"; echo; }\n" + script)
	output, err := shell.CombinedOutput()
	if err != nil || strings.Contains(string(output), "JOB null") || !strings.Contains(string(output), `"status":"confirmed"`) {
		t.Fatalf("commands of the documents: got %v, want a job and a confirmation\n%s", err, output)
	}
}

// viewForAMoment stops the viewer, which a person ends with Ctrl-C, as soon as it is open.
const viewForAMoment = `exec 3< <(exec "$PROGRAM" view --no-open capture.zip); VIEWER=$!; grep -m1 "is open at" <&3; kill $VIEWER; wait $VIEWER`

// commandsOf returns the indented lines of a page between two headings; until its end without a
// second one.
func commandsOf(t *testing.T, page, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	check(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+from+"\n")
	if found && to != "" {
		section, _, found = strings.Cut(section, "\n## "+to+"\n")
	}
	if !found {
		t.Fatalf("%s: want the sections %s and %s", page, from, to)
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
