package program_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/program"
)

func start(t *testing.T, script string) *program.Process {
	t.Helper()
	p, err := program.Start(exec.Command("sh", "-c", script), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func TestProcess_waits_for_a_message_with_an_attribute(t *testing.T) {
	t.Parallel()
	p := start(t, `echo '{"msg":"serving","url":"a"}' >&2; echo 'no JSON' >&2; echo '{"msg":"serving","url":"b"}' >&2; read forever`)
	first, err := p.Logged(t.Context(), "serving")
	if err != nil || first["url"] != "a" {
		t.Errorf("Logged: got %v (%v), want the url a", first, err)
	}
	second, err := p.LoggedWhere(t.Context(), "serving", "url", "b")
	if err != nil || second["url"] != "b" {
		t.Errorf("LoggedWhere: got %v (%v), want the url b", second, err)
	}
	if got := p.Count("serv"); got != 2 {
		t.Errorf("Count: got %d, want 2", got)
	}
}

func TestProcess_reports_an_end_before_the_message(t *testing.T) {
	t.Parallel()
	_, err := start(t, `echo 'what went wrong' >&2; exit 3`).Logged(t.Context(), "serving")
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("got %v, want the exit status and the log", err)
	}
}

func TestProcess_reports_how_it_stopped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script, want string }{
		{"well", `trap 'exit 0' TERM; echo '{"msg":"up"}' >&2; while :; do sleep 0.01; done`, ""},
		{"with another code", `trap 'exit 7' TERM; echo '{"msg":"up"}' >&2; while :; do sleep 0.01; done`, "exit status 7"},
		{"not at all", `trap '' TERM; echo '{"msg":"up"}' >&2; while :; do sleep 0.01; done`, "did not end within"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			p, err := program.Start(exec.Command("sh", "-c", test.script), &log)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Logged(t.Context(), "up"); err != nil {
				t.Fatal(err)
			}
			err = p.Stop(5 * time.Second)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("Stop: got %v, want %q", err, test.want)
			}
			if got := log.String(); got != `{"msg":"up"}`+"\n" {
				t.Errorf("copy of the log: got %q, want the message up", got)
			}
		})
	}
}

func TestInstallation_hides_the_settings_of_a_developer(t *testing.T) {
	t.Setenv("PORTICO_SECRET", "a developer's")
	t.Setenv("AWS_ACCESS_KEY_ID", "a developer's")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "a developer's")
	i := program.Installation{Program: "env", Settings: []string{"PORTICO_ADDR=shared", "PORTICO_WORKERS=1"}}
	out, err := i.Command([]string{"PORTICO_WORKERS=2"}).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := string(out)
	if strings.Contains(got, "a developer's") || !strings.Contains(got, "PORTICO_ADDR=shared\n") ||
		!strings.Contains(got, "PORTICO_WORKERS=2\n") || strings.Contains(got, "PORTICO_WORKERS=1\n") {
		t.Errorf("environment: got %s, want the settings, the later one of two, and none of the developer's", got)
	}
}

func TestBuild_builds_a_program_that_runs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("building the program takes too long for a short run")
	}
	path, err := program.Build(t.Context(), program.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// An image is built without the repository, so its version comes from the linker.
	if out, err := (program.Installation{Program: path}).Command(nil, "version").CombinedOutput(); err != nil || string(out) != program.Version+"\n" {
		t.Errorf("version: got %v\n%s, want %s", err, out, program.Version)
	}
	if _, err := program.Build(t.Context(), program.BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	if again, err := os.Stat(path); err != nil || !os.SameFile(again, built) {
		t.Errorf("second build: linked again (%v), want the program that is up to date", err)
	}
}
