package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"portico/model"
)

// importFiles uploads the files, oldest first. The archive lists the newest file first, and the
// account lists its files in the order of their uploads.
func (i *importer) importFiles(ctx context.Context) error {
	for n := len(i.archive.files) - 1; n >= 0; n-- {
		file := i.archive.files[n]
		i.advance(0, "Storing "+file.Name)
		stored, err := i.importFile(ctx, file)
		if err != nil {
			return fmt.Errorf("store %s: %w", file.Name, err)
		}
		i.mapped.addFile(file.ResourceKey, file.URL, stored)
		i.advance(file.Size, "Stored "+file.Name)
		i.result.Files++
	}
	return nil
}

// importFile uploads one file. It zips a file of several objects, which the server extracts again.
// The content is first written to a temporary file, because a resumable upload may send any part of
// it again.
func (i *importer) importFile(ctx context.Context, file model.ExportedUpload) (stored *uploadResult, err error) {
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
		// The server recognises some formats by the extension, so a name with another extension,
		// such as the name of a converted file, is not used.
		if strings.EqualFold(path.Ext(file.Name), path.Ext(name)) {
			name = file.Name // the name that the owner chose
		}
		err = i.unpack(ctx, packed, file.Folder+file.Primary)
	}
	if err != nil {
		return nil, err
	}
	if stored, err = i.remote.upload(ctx, packed, name, i.uploadReporter(name)); err != nil {
		return nil, err
	}
	i.files = append(i.files, stored.ResourceKey)
	if file.Start == nil {
		return stored, nil
	}
	return stored, i.callGraphQL(ctx, `mutation ($id: ID!, $start: StartInput) { updateFile(input: {fileId: $id, start: $start}) { file { id } } }`,
		map[string]any{"id": stored.ResourceKey, "start": map[string]any{"position": file.Start.Position, "target": file.Start.Target}}, nil)
}

// unpack writes the content of a file of the archive to out.
func (i *importer) unpack(ctx context.Context, out io.Writer, name string) error {
	content, err := i.archive.zip.OpenFile(ctx, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// pack writes a zip with all objects of a file to out. It does not compress: captures compress very
// little, and the zip lives only for the upload.
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
