package workspace

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
)

// PushCommand is "portico push". It applies the changes of a folder to its space.
type PushCommand struct {
	Dir string `arg:"" optional:"" help:"The folder of the space." default:"." type:"path"`
	workspaceFlags
	DryRun bool   `help:"Show the changes without making them."`
	Lock   string `help:"Token of your lock of the space." placeholder:"TOKEN"`
}

// pushResult is the response to a change set.
type pushResult struct {
	DryRun    bool                  `json:"dryRun,omitempty"`
	NoChanges bool                  `json:"noChanges,omitempty"`
	Applied   []model.AppliedChange `json:"applied"`
}

// Run sends the local changes. The server refuses them if it has other versions of these files
// than the last pull.
func (c *PushCommand) Run(ctx context.Context, in *command.Invocation) error {
	result := &pushResult{DryRun: c.DryRun, NoChanges: true, Applied: []model.AppliedChange{}}
	err := c.withSpace(c.Dir, func(w *workspace) error {
		local, err := w.scan()
		if err != nil {
			return err
		}
		changes := changesBetween(w.state.Files, local)
		if len(changes) == 0 {
			return nil
		}
		var sent map[string]string
		if result, sent, err = w.push(ctx, c, changes, func() *command.Progress { return c.newProgress(in) }); err != nil || c.DryRun {
			return err
		}
		// Both sides now have the files that were sent. A file that was saved between the scan and
		// the upload of a large asset was sent in its new form. The pull fetches the form in which
		// the server writes them, and the new addresses of plugins and assets. If the process ends
		// before this state is written, the next pull finds the same content on both sides, which
		// is not a conflict.
		maps.Copy(local, sent)
		w.state.Files = local
		if err = w.writeState(); err == nil {
			_, err = w.pull(ctx, false)
		}
		if err != nil {
			return &notUpdatedError{pushed: result, cause: err}
		}
		return nil
	})
	if failed, ok := errors.AsType[*notUpdatedError](err); ok && !c.JSON {
		err = errors.Join(failed.pushed.print(in.Out), err)
	}
	return c.finish(in, err, result, result.print)
}

// notUpdatedError says that a push has changed the space, and then could not update the folder. A
// user who saw the cause alone would believe that nothing was changed.
type notUpdatedError struct {
	pushed *pushResult
	cause  error
}

// Error implements error.
func (e *notUpdatedError) Error() string {
	return "the space was changed, but the folder was not updated: run portico pull: " + e.cause.Error()
}

// Unwrap lets errors.Is find the cause.
func (e *notUpdatedError) Unwrap() error { return e.cause }

// command.NewProgress returns the output for the upload of an asset: a bar on a terminal. --json prints
// one line, the result.
func (c *PushCommand) newProgress(in *command.Invocation) *command.Progress {
	if c.JSON {
		return command.NewQuietProgress(in)
	}
	return command.NewProgress(in, false)
}

// print prints a line for each change.
func (p *pushResult) print(out io.Writer) error {
	for _, change := range p.Applied {
		if _, err := fmt.Fprintf(out, "  %s %s\n", change.Op, change.Target); err != nil {
			return err
		}
	}
	count, verb := fmt.Sprintf("%d changes", len(p.Applied)), "were"
	if len(p.Applied) == 1 {
		count, verb = "1 change", "was"
	}
	if p.DryRun {
		verb = "would be"
	}
	line := count + " " + verb + " made"
	if p.NoChanges {
		line = "Nothing to push"
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// push sends the changes, with the hashes of the versions that they replace, and returns the
// response and the SHA-256 of the files that it sent, by path. If the server refuses the changes,
// push deletes the assets that it has uploaded for them.
//
// What is known after sending:
//
//	a response of 200            applied
//	a response of 4xx            not applied; the uploaded assets are deleted
//	a response of 5xx or none    unknown; the assets stay, because the space may use them
func (w *workspace) push(ctx context.Context, c *PushCommand, changes []fileChange, newProgress func() *command.Progress) (_ *pushResult, sent map[string]string, err error) {
	b := &changeSetBuilder{
		folder: w, isDryRun: c.DryRun, newProgress: newProgress,
		set: client.ChangeSet{Puts: []client.FilePut{}, Deletes: []string{}}, sent: map[string]string{},
	}
	if err := b.add(ctx, changes); err != nil {
		return nil, nil, errors.Join(err, b.discard(ctx))
	}
	result, err := w.sendChanges(ctx, c, b.set)
	if err != nil {
		// Without a response, or after an internal error, the server may have applied the changes.
		if refused, ok := errors.AsType[*client.RefusedError](err); ok && refused.Status < http.StatusInternalServerError {
			err = errors.Join(err, b.discard(ctx))
		}
		return nil, nil, err
	}
	return result, b.sent, nil
}

func (w *workspace) sendChanges(ctx context.Context, c *PushCommand, set client.ChangeSet) (*pushResult, error) {
	body, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	query := url.Values{"lock": {c.Lock}}
	if c.DryRun {
		query.Set("dryRun", "1")
	}
	address := w.remote.Server + "/v1/spaces/" + w.state.Space + "/changeset?" + query.Encode()
	_, response, err := w.remote.Do(ctx, http.MethodPost, address, http.Header{"Content-Type": {"application/octet-stream"}}, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	result := &pushResult{}
	return result, json.Unmarshal(response, result)
}

// MaxInlineBytes is the maximum size of all assets inside a change set, in bytes. Further assets
// are uploaded first. In base64 they take a third more, which leaves most of the limit of a change
// set, 36 MiB, for texts.
const MaxInlineBytes = 8 << 20

// changeSetBuilder builds a change set from the changed files of a workspace. It uploads large
// assets first, so that the change set stays small.
type changeSetBuilder struct {
	folder   *workspace
	isDryRun bool
	// command.NewProgress returns the output for one upload.
	newProgress func() *command.Progress
	set         client.ChangeSet
	inlineBytes int64    // bytes of assets inside the change set
	uploaded    []string // resource keys of the uploaded large assets
	// sent has the SHA-256 of the content of each put, by path. A file may have been saved since the
	// folder was scanned.
	sent map[string]string
}

// add adds changes to the change set. Each file expects the version of the last pull; a file that
// the last pull did not have expects that the server has no such file.
//
// The server refuses the whole change set if one of its versions is another. So a push overwrites
// nothing that somebody has changed since the last pull.
func (b *changeSetBuilder) add(ctx context.Context, changes []fileChange) error {
	for _, change := range changes {
		lastPulled := model.ExpectedFile{Path: change.Path}
		if sum := b.folder.state.Files[change.Path]; sum != "" {
			lastPulled.SHA256 = &sum
		}
		b.set.Expected = append(b.set.Expected, lastPulled)
		if change.Change == "delete" {
			b.set.Deletes = append(b.set.Deletes, change.Path)
			continue
		}
		if err := b.addPut(ctx, change.Path); err != nil {
			return fmt.Errorf("%s: %w", change.Path, err)
		}
	}
	return nil
}

// addPut adds a text or a small asset with its content, and a large asset with the resource key of
// its upload. A dry run uploads nothing: it sends one byte in place of a large asset, which the server
// does not store, so that entities may name the asset.
//
// The forms of a put:
//
//	text               content as it is
//	small asset        content in base64, as long as all of them are within MaxInlineBytes
//	any other asset    the resource key of its upload
//	plugin folder      its deletion, and the content of each of its files in base64
func (b *changeSetBuilder) addPut(ctx context.Context, name string) error {
	if client.IsFolder(name) {
		return b.addFolder(name)
	}
	if client.IsText(name) {
		return b.addContent(name, "")
	}
	info, err := b.folder.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case b.inlineBytes+info.Size() <= MaxInlineBytes:
		b.inlineBytes += info.Size()
		return b.addContent(name, "base64")
	case b.isDryRun:
		content := base64.StdEncoding.EncodeToString([]byte{0})
		b.set.Puts = append(b.set.Puts, client.FilePut{Path: name, Content: &content, Encoding: "base64"})
		return nil
	}
	key, err := b.upload(ctx, name)
	if err != nil {
		return err
	}
	b.set.Puts = append(b.set.Puts, client.FilePut{Path: name, ResourceKey: key})
	return nil
}

// addFolder adds a plugin folder as it is here: the server has no other files in it afterwards.
func (b *changeSetBuilder) addFolder(name string) error {
	b.set.Deletes = append(b.set.Deletes, name)
	sums := map[string]string{}
	err := b.folder.walk(name, func(file string) error {
		if err := b.addContent(file, "base64"); err != nil {
			return err
		}
		sums[strings.TrimPrefix(file, name+"/")] = b.sent[file]
		delete(b.sent, file)
		return nil
	})
	b.sent[name] = model.FolderSHA256(sums)
	return err
}

// addContent adds a file with its content. The encoding is "base64", or "" for text.
func (b *changeSetBuilder) addContent(name, encoding string) error {
	content, err := b.folder.read(name)
	if err != nil {
		return err
	}
	if b.sent[name], err = sha256Of(bytes.NewReader(content)); err != nil {
		return err
	}
	text := string(content)
	if encoding != "" {
		text = base64.StdEncoding.EncodeToString(content)
	}
	b.set.Puts = append(b.set.Puts, client.FilePut{Path: name, Content: &text, Encoding: encoding})
	return nil
}

// upload uploads an asset as a file of the account and returns its resource key. The name of the
// file is the base name of the asset, so assets of several folders may have the same file name.
func (b *changeSetBuilder) upload(ctx context.Context, name string) (key string, err error) {
	if err := b.folder.checkParents(name); err != nil {
		return "", err
	}
	file, err := b.folder.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if b.sent[name], err = sha256Of(file); err != nil {
		return "", err
	}
	progress := b.newProgress()
	defer progress.Clear()
	stored, err := b.folder.remote.Upload(ctx, file, path.Base(name), func(sent int64, message string) {
		progress.Report(command.Percentage(sent, info.Size()), path.Base(name)+": "+message)
	})
	if err != nil {
		return "", err
	}
	b.uploaded = append(b.uploaded, stored.ResourceKey)
	return stored.ResourceKey, b.checkUnchanged(file, name)
}

// checkUnchanged returns an error if an uploaded file no longer has the content that it had before
// the upload: a program that writes the file in place would leave parts of two versions on the
// server.
func (b *changeSetBuilder) checkUnchanged(file *os.File, name string) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum, err := sha256Of(file)
	if err == nil && sum != b.sent[name] {
		err = errors.New("the file was changed while it was uploaded: push again")
	}
	return err
}

// discard deletes the uploaded files. Call it only when the server certainly did not apply the
// change set: otherwise the space would lose its assets. It also runs after ctx has ended.
func (b *changeSetBuilder) discard(ctx context.Context) error {
	return client.DeleteInRounds(ctx, func(ctx context.Context, d *client.Deletions) {
		for _, key := range b.uploaded {
			d.Try(ctx, "delete the uploaded file "+key, func() error { return b.folder.remote.DeleteFile(ctx, key) })
		}
	})
}
