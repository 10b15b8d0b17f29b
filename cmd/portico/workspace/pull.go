package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
)

// PullCommand is "portico pull". It writes a space into a folder.
type PullCommand struct {
	Space string `arg:"" optional:"" help:"The space. Not needed in a folder that was pulled before."`
	Dir   string `arg:"" optional:"" help:"The folder." default:"." type:"path"`
	workspaceFlags
	Force bool `help:"Overwrite files that both sides changed with the files of the server."`
}

// Run updates the folder from the server. It keeps files that changed only here.
func (c *PullCommand) Run(ctx context.Context, in *command.Invocation) error {
	changes := []fileChange{}
	err := os.MkdirAll(c.Dir, 0o755)
	if err != nil {
		return c.finish(in, err, nil, nil)
	}
	err = c.withWorkspace(c.Dir, func(w *workspace) (err error) {
		switch {
		case w.state.Space == "" && !model.IsSpaceID(c.Space):
			return errors.New("name a space: its id is the last part of its address")
		case w.state.Space == "":
			w.state.Server, w.state.Space = w.remote.Server, c.Space
		case c.Space != "" && c.Space != w.state.Space:
			return fmt.Errorf("the folder contains the space %s: use another folder for %s", w.state.Space, c.Space)
		}
		changes, err = w.pull(ctx, c.Force)
		return err
	})
	return c.finish(in, err, map[string]any{"changes": changes}, func(out io.Writer) error {
		return printChanges(out, changes, "Already up to date")
	})
}

// printChanges prints a line for each change, or the text none if there are no changes.
func printChanges(out io.Writer, changes []fileChange, none string) error {
	for _, change := range changes {
		if _, err := fmt.Fprintf(out, "  %-6s %s\n", change.Change, change.Path); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		return nil
	}
	_, err := fmt.Fprintln(out, none)
	return err
}

// pull writes the files that changed on the server since the last pull or push, and returns the
// changes. If both sides changed a file, it overwrites the local file with force, and otherwise
// returns a conflictError. It has written nothing then, unless the file was saved during the pull.
// The state file is written last. If the process ends before, the folder has some new files and the
// old state. The next pull then sees changes on both sides with the same content, which do not
// conflict, and completes the work.
//
// The first archive has only the hashes of plugins and assets. If one of them changed, pull
// downloads an archive with all of them. If the space changes between the two downloads, pull
// returns the changes of the second archive.
func (w *workspace) pull(ctx context.Context, force bool) ([]fileChange, error) {
	for _, assets := range []bool{false, true} {
		archive, err := w.remote.Pull(ctx, w.state.Space, assets)
		if err != nil {
			return nil, err
		}
		changes, isComplete, err := w.pullFrom(archive, force)
		if err = errors.Join(err, archive.Close()); err != nil || isComplete {
			return changes, err
		}
	}
	return nil, errors.New("the archive of the server is not complete")
}

// pullFrom writes the files of an archive that changed on the server. isComplete is false if the
// archive lacks the bytes of one of them. Nothing is written then.
//
// The folder is read now: the download may have taken minutes, and files were saved meanwhile.
func (w *workspace) pullFrom(archive *client.PulledSpace, force bool) (changes []fileChange, isComplete bool, err error) {
	local, err := w.scan()
	if err != nil {
		return nil, false, err
	}
	if both := conflicts(w.state.Files, local, archive.Files); len(both) > 0 && !force {
		return nil, false, both
	}
	changes = changesBetween(local, w.mergedFiles(local, archive.Files))
	for _, change := range changes {
		if change.Change == "put" && !archive.Has(change.Path) {
			return nil, false, nil
		}
	}
	if err := w.applyChanges(archive, changes, local, force); err != nil {
		return nil, false, err
	}
	w.state.Files = archive.Files
	return changes, true, w.writeState()
}

// mergedFiles returns the files that the folder has after a pull: the local files with the changes
// of the server.
func (w *workspace) mergedFiles(local, remote map[string]string) map[string]string {
	wanted := maps.Clone(local)
	for _, change := range changesBetween(w.state.Files, remote) {
		if change.Change == "delete" {
			delete(wanted, change.Path)
		} else {
			wanted[change.Path] = remote[change.Path]
		}
	}
	return wanted
}

// applyChanges applies changes to the folder with the files of the archive. Without force, it
// returns a conflictError for a file that no longer has the hash in local, because somebody has
// saved it in the meantime. The README.md of the archive, which describes the folder, is always
// written.
//
// Deletions come first, because on a system that ignores case a new file may have the name of a
// deleted one. Each file is replaced as a whole. After an error or a crash some files are new, and
// the state is still the old one. A plugin folder of which only some files are new then has changed
// on both sides.
func (w *workspace) applyChanges(archive *client.PulledSpace, changes []fileChange, local map[string]string, force bool) (err error) {
	// "delete" sorts before "put".
	ordered := slices.SortedStableFunc(slices.Values(changes), func(a, b fileChange) int { return strings.Compare(a.Change, b.Change) })
	for _, change := range ordered {
		if !force {
			err = w.checkSum(change.Path, local[change.Path])
		}
		switch {
		case err != nil:
		case change.Change == "delete":
			err = w.remove(change.Path)
		default:
			err = w.writeFromArchive(archive, change.Path)
		}
		if err != nil {
			return err
		}
	}
	const readme = model.SpaceFolder + "README.md"
	if archive.Has(readme) {
		return w.writeFromArchive(archive, readme)
	}
	return nil
}

// checkSum returns a conflictError if a file does not have the SHA-256; "" means no file.
func (w *workspace) checkSum(name, want string) error {
	if err := w.checkParents(name); err != nil {
		return err
	}
	got, err := w.hash(name)
	if errors.Is(err, fs.ErrNotExist) {
		got, err = "", nil
	}
	if err == nil && got != want {
		err = conflictError{name}
	}
	return err
}

// writeFromArchive writes a file of the archive into the folder, or the files of a plugin folder. The
// files that a plugin folder has no more are removed first: on a system that ignores case, they may
// have the names of new ones.
func (w *workspace) writeFromArchive(archive *client.PulledSpace, name string) error {
	if files := archive.Folders[name]; len(files) > 0 {
		err := w.removeAllBut(name, files)
		for _, file := range files {
			if err == nil {
				err = w.writeFromArchive(archive, file)
			}
		}
		return err
	}
	content, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // read only
	return w.write(name, content)
}
