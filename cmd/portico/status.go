package main

import (
	"context"
	"fmt"
	"io"
)

type statusCommand struct {
	Dir string `arg:"" optional:"" help:"The folder of the space." default:"." type:"path"`
	workspaceFlags
}

// workspaceStatus lists the changes since the last pull or push.
type workspaceStatus struct {
	Space  string       `json:"space"`
	Here   []fileChange `json:"here"`
	Server []fileChange `json:"server"`
	// Conflicts are the paths that changed on both sides.
	Conflicts []string `json:"conflicts"`
}

// Run lists what changed on both sides.
//
// The three versions that it compares:
//
//	state     what both sides had after the last pull or push
//	local     what the folder has now
//	server    what the server has now
//
// A file that differs from state on one side has changed there; on both sides, it is a conflict
// unless both have the same content.
func (c *statusCommand) Run(ctx context.Context, in *invocation) error {
	status := workspaceStatus{Conflicts: []string{}}
	err := c.withSpace(c.Dir, func(w *workspace) error {
		return w.compare(ctx, func(local map[string]string, archive *spaceArchive) error {
			status.Space = w.state.Space
			status.Here, status.Server = changesBetween(w.state.Files, local), changesBetween(w.state.Files, archive.files)
			status.Conflicts = append(status.Conflicts, conflicts(w.state.Files, local, archive.files)...)
			return nil
		})
	})
	return c.finish(in, err, status, status.print)
}

// print prints the changes of both sides and the conflicts.
func (s workspaceStatus) print(out io.Writer) error {
	for _, side := range []struct {
		name    string
		changes []fileChange
	}{{"Changed here", s.Here}, {"Changed on the server", s.Server}} {
		if _, err := fmt.Fprintln(out, side.name+":"); err != nil {
			return err
		}
		if err := printChanges(out, side.changes, "  nothing"); err != nil {
			return err
		}
	}
	for _, name := range s.Conflicts {
		if _, err := fmt.Fprintln(out, "Changed on both sides: "+name); err != nil {
			return err
		}
	}
	return nil
}
