package private

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// startSleeper is a child that shares the lock and does nothing until it is killed.
func startSleeper(t *testing.T, l *lock) *process {
	t.Helper()
	child, err := spawn(exec.Command("sleep", "600"), location{folder: t.TempDir()}, l)
	if err != nil {
		t.Fatalf("spawn: %v", err)
	}
	t.Cleanup(func() {
		_ = child.cmd.Process.Kill() // some tests have killed it
		<-child.done
	})
	return child
}

func TestSpawn_starts_a_new_process_group(t *testing.T) {
	t.Parallel()
	child := startSleeper(t, openLocks(t, 1)[0])
	got, err := syscall.Getpgid(child.cmd.Process.Pid)
	if want := child.cmd.Process.Pid; err != nil || got != want {
		t.Errorf("process group: got %d, %v, want %d", got, err, want)
	}
}

func TestSpawn_reports_a_missing_program(t *testing.T) {
	t.Parallel()
	_, err := spawn(exec.Command("/nowhere/postgres"), location{folder: t.TempDir()}, openLocks(t, 1)[0])
	if !os.IsNotExist(err) {
		t.Errorf("spawn: got %v, want an error about the missing program", err)
	}
}

func TestSpawn_does_not_pass_on_secrets(t *testing.T) {
	t.Setenv("PORTICO_SECRET", "SECRET")
	t.Setenv("PGDATA", "/somewhere")
	cmd := exec.Command("env")
	var output strings.Builder
	cmd.Stdout = &output
	child, err := spawn(cmd, location{folder: t.TempDir()}, openLocks(t, 1)[0])
	if err != nil {
		t.Fatalf("spawn: %v", err)
	}
	<-child.done
	for _, never := range []string{"SECRET", "PGDATA"} {
		if got := output.String(); strings.Contains(got, never) {
			t.Errorf("environment: got %q, want no %s in it", got, never)
		}
	}
	if got, want := output.String(), "LC_ALL=C\n"; !strings.Contains(got, want) {
		t.Errorf("environment: got %q, want %q in it", got, want)
	}
}
