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

// packing makes a change set of changed files. Large assets are uploaded before, so that a
// change set stays small.
type packing struct {
	*workspace
	isDryRun bool
	set      changeSet
	inline   int64    // bytes of assets in the change set
	uploaded []string // resource keys
	left     []string // paths of large assets that a dry run does not upload
}

// pack adds all changes to the change set.
func (p *packing) pack(ctx context.Context, changes []fileChange) error {
	for _, change := range changes {
		expected := model.ExpectedFile{Path: change.Path}
		if sum := p.state.Files[change.Path]; sum != "" {
			expected.SHA256 = &sum
		}
		p.set.Expected = append(p.set.Expected, expected)
		if change.Change == "delete" {
			p.set.Deletes = append(p.set.Deletes, change.Path)
			continue
		}
		if err := p.put(ctx, change.Path); err != nil {
			return fmt.Errorf("%s: %w", change.Path, err)
		}
	}
	return nil
}

// put adds the content of a file.
func (p *packing) put(ctx context.Context, name string) error {
	put := filePut{Path: name}
	if !isText(name) {
		info, err := p.root.Lstat(name)
		switch {
		case err != nil:
			return err
		case p.inline+info.Size() > maxInline && p.isDryRun:
			p.left = append(p.left, name)
			return nil
		case p.inline+info.Size() > maxInline:
			if put.ResourceKey, err = p.upload(ctx, name); err != nil {
				return err
			}
			p.uploaded = append(p.uploaded, put.ResourceKey)
			p.set.Puts = append(p.set.Puts, put)
			return nil
		}
		p.inline += info.Size()
		put.Encoding = "base64"
	}
	content, err := p.read(name)
	if err != nil {
		return err
	}
	text := string(content)
	if put.Encoding != "" {
		text = base64.StdEncoding.EncodeToString(content)
	}
	put.Content = &text
	p.set.Puts = append(p.set.Puts, put)
	return nil
}

// upload uploads an asset as a file of the account and returns its resource key.
func (p *packing) upload(ctx context.Context, name string) (key string, err error) {
	if err := p.checkParents(name); err != nil {
		return "", err
	}
	file, err := p.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	stored, err := p.remote.upload(ctx, file, path.Base(name))
	if err != nil {
		return "", err
	}
	return stored.ResourceKey, nil
}

// discard deletes the files that were uploaded.
func (p *packing) discard(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	var errs []error
	for _, key := range p.uploaded {
		address := p.remote.server + "/v1/files?" + url.Values{"resource_key": {key}}.Encode()
		err := patiently(ctx, func() error {
			_, err := p.remote.send(ctx, http.MethodDelete, address, http.Header{}, nil)
			return err
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("the file %s is left over: %w", key, err))
		}
	}
	return errors.Join(errs...)
}
