package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"portico/model"
)

// changeSetBuilder builds a change set from the changed files of a workspace. It uploads large
// assets first, so that the change set stays small.
type changeSetBuilder struct {
	folder   *workspace
	isDryRun bool
	// newProgress returns the output for one upload.
	newProgress func() *progress
	set         changeSet
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
//	small asset        content in base64, as long as all of them are within maxInlineBytes
//	any other asset    the resource key of its upload
//	plugin folder      its deletion, and the content of each of its files in base64
func (b *changeSetBuilder) addPut(ctx context.Context, name string) error {
	if isFolder(name) {
		return b.addFolder(name)
	}
	if isText(name) {
		return b.addContent(name, "")
	}
	info, err := b.folder.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case b.inlineBytes+info.Size() <= maxInlineBytes:
		b.inlineBytes += info.Size()
		return b.addContent(name, "base64")
	case b.isDryRun:
		content := base64.StdEncoding.EncodeToString([]byte{0})
		b.set.Puts = append(b.set.Puts, filePut{Path: name, Content: &content, Encoding: "base64"})
		return nil
	}
	key, err := b.upload(ctx, name)
	if err != nil {
		return err
	}
	b.set.Puts = append(b.set.Puts, filePut{Path: name, ResourceKey: key})
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
	b.set.Puts = append(b.set.Puts, filePut{Path: name, Content: &text, Encoding: encoding})
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
	defer progress.bar.clear()
	stored, err := b.folder.remote.upload(ctx, file, path.Base(name), func(sent int64, message string) {
		progress.report(percentage(sent, info.Size()), path.Base(name)+": "+message)
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
	return deleteInRounds(ctx, func(ctx context.Context, d *deletions) {
		for _, key := range b.uploaded {
			d.try(ctx, "delete the uploaded file "+key, func() error { return b.folder.remote.deleteFileOnce(ctx, key) })
		}
	})
}
