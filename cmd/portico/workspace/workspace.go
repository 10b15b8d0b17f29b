// Package workspace has the commands that work on a space as files in a folder: pull, status, diff and
// push.
package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
)

// workspaceFlags are the flags of the commands that work on a space as files.
type workspaceFlags struct {
	command.ServerFlags
	JSON bool `help:"Print the result or the error as JSON."`
}

// StateFile is the name of the file, in the folder of a space, that has the workspaceState.
const StateFile = ".portico"

// workspaceState is the content of the state file. It contains no secrets and belongs in git.
//
// For example:
//
//	{
//	  "server": "https://portico.example.com",
//	  "space": "…",
//	  "files": {"space/room.json": "9f86d0…", …}
//	}
type workspaceState struct {
	Server string `json:"server"`
	Space  string `json:"space"`
	// Files are the SHA-256 of the files after the last pull or push, when the folder and
	// the server had the same files, by path.
	Files map[string]string `json:"files"`
}

// workspace is a folder with the files of a space. It never reads or writes outside the folder,
// and never follows a link.
type workspace struct {
	root   *os.Root
	state  workspaceState
	remote *client.Client
}

// withWorkspace calls work with the workspace in dir. If the folder contains no space yet, the
// state is empty.
func (f *workspaceFlags) withWorkspace(dir string, work func(*workspace) error) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	w := &workspace{root: root, remote: f.Client()}
	if err := w.readState(); err != nil {
		return err
	}
	return work(w)
}

// withSpace is withWorkspace for a folder that must contain a space.
func (f *workspaceFlags) withSpace(dir string, work func(*workspace) error) error {
	return f.withWorkspace(dir, func(w *workspace) error {
		if w.state.Space == "" {
			return fmt.Errorf("there is no %s in %s: pull a space into the folder first", StateFile, dir)
		}
		return work(w)
	})
}

// readState reads the state file. It returns an error if the file names another server than the
// user: a folder from somebody else must not choose the server that gets the key.
func (w *workspace) readState() error {
	content, err := w.read(StateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &w.state); err != nil || !model.IsSpaceID(w.state.Space) {
		return fmt.Errorf("%s is damaged: delete it, and pull the space again", StateFile)
	}
	if w.state.Server != w.remote.Server {
		return fmt.Errorf("the folder belongs to the server %s: add --server %s, or, if the server has moved, write its address into %s",
			w.state.Server, w.state.Server, StateFile)
	}
	return nil
}

// writeState replaces the state file. The JSON is indented and its paths are sorted, so that git
// shows small changes.
func (w *workspace) writeState() error {
	content, err := json.MarshalIndent(w.state, "", "  ")
	if err != nil {
		return err
	}
	return w.write(StateFile, bytes.NewReader(append(content, '\n')))
}

// compare calls work with the SHA-256 of the local files, by path, and with the space on the
// server, without the bytes of its plugins and assets.
func (w *workspace) compare(ctx context.Context, work func(local map[string]string, archive *client.PulledSpace) error) (err error) {
	local, err := w.scan()
	if err != nil {
		return err
	}
	archive, err := w.remote.Pull(ctx, w.state.Space, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	return work(local, archive)
}

// scan returns the SHA-256 of the local files of the space, by path; for a plugin folder, of the
// folder (model.FolderSHA256). It ignores hidden files, backups of editors, and files that are not
// part of a space, such as the README.md. A link, or a file with an invalid name among the entities,
// plugins or assets, is an error.
func (w *workspace) scan() (map[string]string, error) {
	files, folders := map[string]string{}, map[string]map[string]string{}
	err := w.walk(strings.TrimSuffix(model.SpaceFolder, "/"), func(name string) error {
		target, err := model.ParseChangePath(name)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case target == model.ChangePath{}:
			return nil
		case target.Inner == "" && model.IsPluginFolder(target.File):
			return fmt.Errorf("%s: a plugin is a .mjs file, or a folder with the file %s", name, model.PluginIndex)
		}
		sum, err := w.hash(name)
		if folder := model.SpaceFolder + target.File; target.Inner == "" {
			files[name] = sum
		} else {
			if folders[folder] == nil {
				folders[folder] = map[string]string{}
			}
			folders[folder][target.Inner] = sum
		}
		return err
	})
	for folder, sums := range folders {
		files[folder] = model.FolderSHA256(sums)
	}
	return files, err
}

// walk calls visit with the path of each file below a folder, which need not exist. It leaves out
// hidden files and backups of editors. A link is an error.
func (w *workspace) walk(top string, visit func(name string) error) error {
	if info, err := w.root.Lstat(top); err == nil && !info.IsDir() { // WalkDir would follow a link
		return fmt.Errorf("%s is a link or another special file: remove it", top)
	}
	return fs.WalkDir(w.root.FS(), top, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // nothing was pulled yet, or all was deleted
			return nil
		case err != nil:
			return err
		case strings.HasPrefix(path.Base(name), "."), strings.HasSuffix(name, "~"): // a file of the system or of an editor
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is a link or another special file: replace it with a file", name)
		}
		return visit(name)
	})
}

// hash returns the SHA-256 that the server has for a file with this content.
//
// A text is hashed in its form with LF, so that a checkout with CRLF on Windows has no changes.
func (w *workspace) hash(name string) (string, error) {
	if client.IsFolder(name) {
		return w.hashFolder(name)
	}
	if client.IsText(name) {
		content, err := w.read(name)
		if err != nil {
			return "", err
		}
		return sha256Of(bytes.NewReader(content))
	}
	file, err := w.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	return sha256Of(file)
}

// hashFolder returns the SHA-256 that the server has for a plugin folder with these files. A folder
// without a file does not exist.
func (w *workspace) hashFolder(name string) (string, error) {
	sums := map[string]string{}
	err := w.walk(name, func(file string) (err error) {
		sums[strings.TrimPrefix(file, name+"/")], err = w.hash(file)
		return err
	})
	if err == nil && len(sums) == 0 {
		err = fs.ErrNotExist
	}
	return model.FolderSHA256(sums), err
}

// sha256Of returns the SHA-256 of what the reader returns, in hexadecimal.
func sha256Of(content io.Reader) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, content)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// read returns the content of a file. In a text it replaces CRLF with LF.
func (w *workspace) read(name string) ([]byte, error) {
	if err := w.checkParents(name); err != nil {
		return nil, err
	}
	content, err := w.root.ReadFile(name)
	if client.IsText(name) {
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	return content, err
}

// checkParents returns an error if the path or one of its parents is a link. os.Root never leaves
// the folder, but it follows links inside it.
func (w *workspace) checkParents(name string) error {
	if client.IsFolder(name) {
		name += "/" + model.PluginIndex
	}
	for at := name; at != "."; at = path.Dir(at) {
		info, err := w.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case at == name && !info.Mode().IsRegular(), at != name && !info.IsDir():
			return fmt.Errorf("%s is a link or another special file: remove it", at)
		}
	}
	return nil
}

// write replaces a file atomically. It creates missing folders. The content has a temporary name in
// the same folder until it is complete and synced to disk, so a crash leaves the old or the new
// file, and perhaps a hidden temporary file, which scan ignores.
func (w *workspace) write(name string, content io.Reader) (err error) {
	if err := w.checkParents(name); err != nil {
		return err
	}
	if err := w.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	temporary := path.Join(path.Dir(name), ".portico-"+model.Token())
	file, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, content); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = w.root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, w.root.Remove(temporary))
	}
	return nil
}

// remove deletes a file, or a plugin folder. It returns no error if the file does not exist.
func (w *workspace) remove(name string) error {
	if err := w.checkParents(name); err != nil {
		return err
	}
	if client.IsFolder(name) {
		return w.removeAllBut(name, nil)
	}
	if err := w.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeAllBut deletes the files of a plugin folder that are not among those to keep, and then the
// folders that are empty. Hidden files stay.
func (w *workspace) removeAllBut(folder string, kept []string) error {
	return w.walk(folder, func(name string) error {
		if slices.Contains(kept, name) {
			return nil
		}
		if err := w.root.Remove(name); err != nil {
			return err
		}
		// Removing a folder that is not empty fails, which ends the loop.
		for at := path.Dir(name); at != path.Dir(folder) && w.root.Remove(at) == nil; at = path.Dir(at) {
		}
		return nil
	})
}

// finish prints the result or the error as JSON with --json. Otherwise it calls print for the
// result, and returns the error.
func (f *workspaceFlags) finish(in *command.Invocation, err error, result any, print func(io.Writer) error) error {
	switch {
	case err != nil:
		return command.ReportError(in, f.JSON, err, errorDetails(err))
	case f.JSON:
		return command.PrintJSON(in.Out, map[string]any{"result": result})
	}
	return print(in.Out)
}

// errorDetails returns what the JSON of an error has besides its message:
//
//	conflicts  the paths that changed on both sides
//	applied    the changes of a push that could not update the folder afterwards
func errorDetails(err error) map[string]any {
	details := map[string]any{}
	if found, ok := errors.AsType[conflictError](err); ok {
		details["conflicts"] = found
	}
	if failed, ok := errors.AsType[*notUpdatedError](err); ok {
		details["applied"] = failed.pushed.Applied
	}
	return details
}

// fileChange is a difference between two states of the files.
type fileChange struct {
	// Change is put or delete.
	Change string `json:"change"`
	Path   string `json:"path"`
}

// changesBetween returns the changes that lead from one state to another, sorted by path. A state
// is the SHA-256 of each file, by path. The result is never nil, so that it is a list in JSON.
func changesBetween(before, after map[string]string) []fileChange {
	changes := []fileChange{}
	for name, sum := range after {
		if before[name] != sum {
			changes = append(changes, fileChange{"put", name})
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			changes = append(changes, fileChange{"delete", name})
		}
	}
	slices.SortFunc(changes, func(a, b fileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// conflictError lists the paths of the files that changed both here and on the server.
type conflictError []string

// Error implements error.
func (e conflictError) Error() string {
	return "changed here and on the server: " + strings.Join(e, ", ")
}

// conflicts returns the paths of the files that both sides changed since base, except those with
// the same new content on both sides. A file that is missing has the hash "", so a deletion on one
// side and a change on the other side is a conflict, and two deletions are none.
func conflicts(base, local, remote map[string]string) (paths conflictError) {
	for _, change := range changesBetween(base, local) {
		if remote[change.Path] != base[change.Path] && remote[change.Path] != local[change.Path] {
			paths = append(paths, change.Path)
		}
	}
	return paths
}
