package subprocess

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestSupervise(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, printed string
		memory                bool
		code                  int
	}{
		{"returns nil after a success", "echo a warning >&2", "a warning\n", false, 0},
		{"returns the exit code of a failure", "echo no such file >&2; exit 2", "no such file\n", false, 2},
		{"hides the stacks of a program without memory", "echo 'fatal error: out of memory' >&2; exit 2", "", true, 2},
		{"takes a killed program for one without memory", "kill -KILL $$", "", true, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var printed strings.Builder
			err := Supervise(exec.CommandContext(t.Context(), "sh", "-c", test.script), &printed)
			if got := errors.Is(err, ErrMemory); got != test.memory {
				t.Errorf("error: got %v, want out of memory: %t", err, test.memory)
			}
			code := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				code = exit.ExitCode()
			}
			if code != test.code {
				t.Errorf("exit code: got %d, %v, want %d", code, err, test.code)
			}
			if got := printed.String(); got != test.printed {
				t.Errorf("standard error: got %q, want %q", got, test.printed)
			}
		})
	}
}
