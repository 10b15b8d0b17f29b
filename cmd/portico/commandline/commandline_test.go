package commandline

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"

	"portico/cmd/portico/command"
)

// Kong finds the methods by reflection, and reports a missing one only to the
// person who calls the command.
func TestCommandLine_runs_every_command(t *testing.T) {
	t.Parallel()
	_, parsed, err := Parse([]string{"version"}, io.Discard)
	check(t, err)
	leaves := parsed.Model.Leaves(false)
	if len(leaves) < 10 {
		t.Errorf("commands: got %d, want at least 10", len(leaves))
	}
	for _, leaf := range leaves {
		_, ok := leaf.Target.Addr().Interface().(interface {
			Run(ctx context.Context, c *command.Invocation) error
		})
		if !ok {
			t.Errorf("%s: has no method that runs it", leaf.FullPath())
		}
	}
}

// All arguments after "--" are names, even if they look like numbers or flags.
func TestCommandLine_keeps_the_names_after_two_dashes(t *testing.T) {
	t.Parallel()
	line, _, err := Parse([]string{"convert", "--", "-2.ply", "-F"}, io.Discard)
	check(t, err)
	for i, want := range []string{"-2.ply", "-F"} {
		if got := []string{line.Convert.In, line.Convert.Out}[i]; filepath.Base(got) != want {
			t.Errorf("name %d: got %q, want %q", i, got, want)
		}
	}
}

func TestCommandLine_refuses_unknown_commands(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serv"}, {"user"}, {"user", "remove"}, {}} {
		_, parsed, err := Parse(args, io.Discard)
		if err == nil || parsed != nil {
			t.Errorf("%q: got %v, want an error", args, parsed)
		}
	}
}

// A command without the method must fail, and must not end as if it had succeeded.
func TestCommandLine_fails_if_a_command_has_no_method(t *testing.T) {
	t.Parallel()
	var line struct {
		Idle struct{} `cmd:""`
	}
	parser, err := kong.New(&line)
	check(t, err)
	parsed, err := parser.Parse([]string{"idle"})
	check(t, err)
	if err := parsed.Run(&command.Invocation{}); err == nil {
		t.Error("got no error, want one")
	}
}
