package rest

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// exportSpace responds to POST /spaces/:spaceId/pull with an archive of the space. It copies the
// bytes of plugins and assets from the store to the response.
func (a *api) exportSpace(w http.ResponseWriter, r *http.Request) error {
	export, err := a.resolver.Query().ExportSpace(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return err
	}
	response := &archiveResponse{ResponseWriter: w}
	err = a.writeArchive(response, r, export)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("export a space: %w", err)
	if !response.started {
		return err
	}
	a.logFault(r, err)
	panic(http.ErrAbortHandler) // closes the connection, so that the client notices the incomplete archive
}

// archiveResponse is the response with an archive. It sets the headers of the archive before its
// first bytes, which zip.Writer buffers: the response to a failure before them is an error.
type archiveResponse struct {
	http.ResponseWriter
	started bool
}

// Write implements io.Writer.
func (w *archiveResponse) Write(p []byte) (int, error) {
	if !w.started {
		h := w.Header()
		h.Set("Content-Type", "application/zip")
		h.Set("Content-Disposition", "attachment; filename=\"space.zip\"")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		w.started = true
	}
	return w.ResponseWriter.Write(p)
}

// writeArchive writes the files of the space and their manifest. With assets=0 in the query,
// plugins and assets are only in the manifest.
func (a *api) writeArchive(w io.Writer, r *http.Request, export *model.SpaceFiles) error {
	includesAssets := querySwitch(r, "assets", true)
	out := zip.NewWriter(w)
	shown := view.NewSpaceFiles(a.resolver, export)
	for _, file := range shown.Files {
		if file.Content == nil {
			continue
		}
		if err := writeFile(out, file.Path, []byte(*file.Content)); err != nil {
			return err
		}
	}
	if includesAssets {
		for _, file := range export.Files {
			if err := a.copyFile(out, r, export, file); err != nil {
				return a.resolver.SpaceFileError(r.Context(), file, err)
			}
		}
	}
	manifest, err := json.MarshalIndent(view.NewManifest(export, shown), "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(writeFile(out, model.ManifestFile, append(manifest, '\n')), out.Close())
}

// writeFile adds a compressed file to the archive.
func writeFile(out *zip.Writer, name string, content []byte) error {
	file, err := out.Create(name)
	if err == nil {
		_, err = file.Write(content)
	}
	return err
}

// copyFile writes a plugin or an asset.
func (a *api) copyFile(out *zip.Writer, r *http.Request, export *model.SpaceFiles, file *model.SpaceFile) error {
	content, err := a.resolver.OpenSpaceFile(r.Context(), export, file)
	if err != nil {
		return fmt.Errorf("open %s: %w", file.Path, err)
	}
	defer func() { _ = content.Close() }() // nothing was written
	entry, err := out.Create(model.SpaceFolder + file.Path)
	if err == nil {
		_, err = io.Copy(entry, content)
	}
	return err
}
