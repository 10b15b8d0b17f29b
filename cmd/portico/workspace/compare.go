package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"portico/client"
	"portico/cmd/portico/command"
)

// StatusCommand is "portico status". It lists what differs between the folder and the space.
type StatusCommand struct {
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
func (c *StatusCommand) Run(ctx context.Context, in *command.Invocation) error {
	status := workspaceStatus{Conflicts: []string{}}
	err := c.withSpace(c.Dir, func(w *workspace) error {
		return w.compare(ctx, func(local map[string]string, archive *client.PulledSpace) error {
			status.Space = w.state.Space
			status.Here, status.Server = changesBetween(w.state.Files, local), changesBetween(w.state.Files, archive.Files)
			status.Conflicts = append(status.Conflicts, conflicts(w.state.Files, local, archive.Files)...)
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

// DiffCommand is "portico diff". It prints the differences line by line.
type DiffCommand struct {
	Dir string `arg:"" optional:"" help:"The folder of the space." default:"." type:"path"`
	workspaceFlags
}

// Run prints the differences between the files of the server and the local files.
//
// It collects the output in memory, so that an error in a later file is not preceded by a part of
// the result.
func (c *DiffCommand) Run(ctx context.Context, in *command.Invocation) error {
	var shown strings.Builder
	err := c.withSpace(c.Dir, func(w *workspace) error {
		return w.compare(ctx, func(local map[string]string, archive *client.PulledSpace) error {
			for _, change := range changesBetween(archive.Files, local) {
				if err := w.showChange(&shown, archive, change.Path); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return c.finish(in, err, map[string]string{"diff": shown.String()}, func(out io.Writer) error {
		_, err := io.WriteString(out, shown.String())
		return err
	})
}

// showChange writes the difference of one file: line by line if the file is text. The server's
// version is the old one. Of a plugin or an asset that the server has, the archive contains only
// the hash, so no lines are shown.
//
// Of a plugin folder that only the local folder has, each file is shown.
func (w *workspace) showChange(out *strings.Builder, archive *client.PulledSpace, name string) error {
	if client.IsFolder(name) {
		if archive.Files[name] != "" {
			out.WriteString("Folders server/" + name + " and here/" + name + " differ\n")
			return nil
		}
		return w.walk(name, func(file string) error { return w.showChange(out, archive, file) })
	}
	var before, after []byte
	var err error
	if archive.Has(name) {
		if before, err = archive.Text(name); err != nil {
			return err
		}
	} else if archive.Files[name] != "" || !client.IsText(name) {
		out.WriteString("Binary files server/" + name + " and here/" + name + " differ\n")
		return nil
	}
	if after, err = w.read(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from, to := "server/"+name, "here/"+name
	header := "--- " + from + "\n+++ " + to + "\n" // not in the difference of two empty files
	out.WriteString(header + strings.TrimPrefix(udiff.Unified(from, to, string(before), string(after)), header))
	return nil
}
