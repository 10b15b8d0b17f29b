package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"portico/model"
)

// importFiles uploads the files, oldest first.
func (i *importer) importFiles(ctx context.Context) error {
	for n := len(i.archive.files) - 1; n >= 0; n-- {
		file := i.archive.files[n]
		i.advance(0, "storing "+file.Name)
		stored, err := i.importFile(ctx, file)
		if err != nil {
			return fmt.Errorf("store %s: %w", file.Name, err)
		}
		i.mapped.addFile(file.ResourceKey, file.URL, stored)
		i.advance(file.Size, "stored "+file.Name)
		i.result.Files++
	}
	return nil
}

// importFile uploads one file. A file of several objects is zipped again: the server extracts it.
func (i *importer) importFile(ctx context.Context, file model.ExportedUpload) (stored *uploaded, err error) {
	packed, err := os.CreateTemp("", "portico-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, packed.Close(), os.Remove(packed.Name())) }()
	name := path.Base(file.Primary)
	if file.Objects > 1 {
		name = strings.TrimSuffix(file.Name, path.Ext(file.Name)) + ".zip"
		err = i.pack(ctx, packed, file)
	} else {
		if strings.EqualFold(path.Ext(file.Name), path.Ext(name)) {
			name = file.Name // as the owner named it
		}
		err = i.unpack(ctx, packed, file.Folder+file.Primary)
	}
	if err != nil {
		return nil, err
	}
	if stored, err = i.remote.upload(ctx, packed, name, i.sending(name)); err != nil {
		return nil, err
	}
	i.files = append(i.files, stored.ResourceKey)
	if file.Start == nil {
		return stored, nil
	}
	return stored, i.graphQL(ctx, `mutation ($id: ID!, $start: StartInput) { updateFile(input: {fileId: $id, start: $start}) { file { id } } }`,
		map[string]any{"id": stored.ResourceKey, "start": map[string]any{"position": file.Start.Position, "target": file.Start.Target}}, nil)
}

// unpack writes a file of the archive.
func (i *importer) unpack(ctx context.Context, out io.Writer, name string) error {
	content, err := i.archive.zip.OpenFile(ctx, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// pack writes a zip with the objects of a file.
func (i *importer) pack(ctx context.Context, out io.Writer, file model.ExportedUpload) error {
	packed := zip.NewWriter(out)
	for _, name := range i.archive.folders[file.Folder] {
		entry, err := packed.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		if err := i.unpack(ctx, entry, file.Folder+name); err != nil {
			return err
		}
	}
	return packed.Close()
}

// patiently calls work again for as long as the server says that it gets too many requests.
func patiently(ctx context.Context, work func() error) error {
	for {
		err := work()
		refused, ok := errors.AsType[*refusedError](err)
		if !ok || refused.status != http.StatusTooManyRequests {
			return err
		}
		var wait struct {
			Seconds int `json:"retry_after_seconds"`
		}
		_ = json.Unmarshal(refused.body, &wait) // an answer of a proxy is no JSON
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(max(1, wait.Seconds)) * time.Second):
		}
	}
}

// call is remote.call that waits for the rate limits.
func (i *importer) call(ctx context.Context, method, path string, body, v any) error {
	return patiently(ctx, func() error { return i.remote.call(ctx, method, path, body, v) })
}

// graphQL executes a document and reads its data into v, which may be nil.
func (i *importer) graphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	for {
		answer := struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions struct{ RetryAfterSeconds int }
			}
		}{Data: v}
		if err := i.remote.exchange(ctx, http.MethodPost, "/graphql", map[string]any{"query": document, "variables": variables}, &answer); err != nil {
			return err
		}
		switch {
		case len(answer.Errors) == 0:
			return nil
		case answer.Errors[0].Extensions.RetryAfterSeconds == 0:
			return errors.New(answer.Errors[0].Message)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(answer.Errors[0].Extensions.RetryAfterSeconds) * time.Second):
		}
	}
}
