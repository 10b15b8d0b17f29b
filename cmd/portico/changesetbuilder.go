package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"

	"portico/model"
)

// changeSetBuilder makes a change set of the changed files of a folder. Large assets are
// uploaded first, so that the change set stays small.
type changeSetBuilder struct {
	folder   *workspace
	isDryRun bool
	// newProgress returns the output for one upload.
	newProgress func() *progress
	set         changeSet
	inline      int64    // bytes of assets in the change set
	uploaded    []string // resource keys of large assets
	skipped     []string // paths of large assets, which a dry run does not upload
}

// add adds changes to the change set.
func (b *changeSetBuilder) add(ctx context.Context, changes []fileChange) error {
	for _, change := range changes {
		expected := model.ExpectedFile{Path: change.Path}
		if sum := b.folder.state.Files[change.Path]; sum != "" {
			expected.SHA256 = &sum
		}
		b.set.Expected = append(b.set.Expected, expected)
		if change.Change == "delete" {
			b.set.Deletes = append(b.set.Deletes, change.Path)
			continue
		}
		if err := b.put(ctx, change.Path); err != nil {
			return fmt.Errorf("%s: %w", change.Path, err)
		}
	}
	return nil
}

// put adds a file with its content, or a large asset with the key of its upload.
func (b *changeSetBuilder) put(ctx context.Context, name string) error {
	if isText(name) {
		return b.putContent(name, "")
	}
	info, err := b.folder.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case b.inline+info.Size() <= maxInline:
		b.inline += info.Size()
		return b.putContent(name, "base64")
	case b.isDryRun:
		b.skipped = append(b.skipped, name)
		return nil
	}
	key, err := b.upload(ctx, name)
	if err != nil {
		return err
	}
	b.uploaded = append(b.uploaded, key)
	b.set.Puts = append(b.set.Puts, filePut{Path: name, ResourceKey: key})
	return nil
}

// putContent adds a file with its content. The encoding is base64, or empty for text.
func (b *changeSetBuilder) putContent(name, encoding string) error {
	content, err := b.folder.read(name)
	if err != nil {
		return err
	}
	text := string(content)
	if encoding != "" {
		text = base64.StdEncoding.EncodeToString(content)
	}
	b.set.Puts = append(b.set.Puts, filePut{Path: name, Content: &text, Encoding: encoding})
	return nil
}

// upload uploads an asset as a file of the account and returns its resource key.
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
	progress := b.newProgress()
	defer progress.bar.clear()
	stored, err := b.folder.remote.upload(ctx, file, path.Base(name), func(sent int64, message string) {
		progress.report(100*float64(sent)/float64(max(1, info.Size())), path.Base(name)+": "+message)
	})
	if err != nil {
		return "", err
	}
	return stored.ResourceKey, nil
}

// discard deletes the files that were uploaded. Call it only if the change set was not
// applied for certain: the space would lose its assets.
func (b *changeSetBuilder) discard(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	remote := b.folder.remote
	var errs []error
	for _, key := range b.uploaded {
		address := remote.server + "/v1/files?" + url.Values{"resource_key": {key}}.Encode()
		err := patiently(ctx, func() error {
			_, err := remote.send(ctx, http.MethodDelete, address, http.Header{}, nil)
			return err
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("the file %s is left over: %w", key, err))
		}
	}
	return errors.Join(errs...)
}
