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

	"github.com/cenkalti/backoff/v5"

	"portico/model"
)

// maxText is the maximum size of a text in a pulled archive, in bytes.
const maxText = 64 << 20

// spaceArchive is a pulled space in a temporary file.
//
// It is the zip that POST /spaces/:spaceId/pull responds with:
//
//	.materialize-manifest.json  the id of the space, and the path and SHA-256 of each file
//	space/...                   entities; plugins, with the files of their folders, and assets only
//	                            on request
//	space/README.md             a description of the folder, which is not in the manifest
type spaceArchive struct {
	file *os.File
	// entries are the files whose bytes are in the zip, by path.
	entries map[string]*zip.File
	// folders are the paths of the files of each plugin folder whose bytes are in the zip, by the
	// path of the folder.
	folders map[string][]string
	// files are the SHA-256 of the files of the space, by path. A plugin folder is one of them.
	files map[string]string
}

// pull downloads a space. Without assets, the archive has only the hashes of plugins and assets.
// The caller closes the archive. An archive that is not one of the space is a *backoff.PermanentError.
func (r *remote) pull(ctx context.Context, spaceID string, assets bool) (_ *spaceArchive, err error) {
	address := r.server + "/v1/spaces/" + spaceID + "/pull"
	if !assets {
		address += "?assets=0"
	}
	response, err := r.open(ctx, http.MethodPost, address, http.Header{}, http.NoBody)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	file, err := os.CreateTemp("", "portico-*.zip")
	if err != nil {
		return nil, err
	}
	a := &spaceArchive{file: file, entries: map[string]*zip.File{}, folders: map[string][]string{}, files: map[string]string{}}
	size, err := io.Copy(file, response.Body)
	if err == nil {
		if err = a.readDirectory(spaceID, size); err != nil {
			err = backoff.Permanent(err)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the response of the server: %w", err), a.close())
	}
	return a, nil
}

// readDirectory reads the list of files from the manifest. It accepts only the paths of a space's
// files, so that a hostile server cannot name another file of this computer.
func (a *spaceArchive) readDirectory(spaceID string, size int64) error {
	archive, err := zip.NewReader(a.file, size)
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		a.entries[entry.Name] = entry
		if target, err := model.ParseChangePath(entry.Name); err == nil && target.Inner != "" {
			folder := model.SpaceFolder + target.File
			a.folders[folder] = append(a.folders[folder], entry.Name)
		}
	}
	text, err := a.text(model.ManifestFile)
	if err != nil {
		return err
	}
	type listed struct{ File, SHA string }
	var manifest struct {
		SpaceID                   string
		Entities, Plugins, Assets []listed
	}
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.SpaceID != spaceID {
		return errors.New("its manifest is not the manifest of the space")
	}
	for _, list := range [][]listed{manifest.Entities, manifest.Plugins, manifest.Assets} {
		for _, file := range list {
			if target, err := model.ParseChangePath(file.File); err != nil || target == (model.ChangePath{}) || target.Inner != "" {
				return fmt.Errorf("%q is not a file of a space", file.File)
			}
			a.files[file.File] = file.SHA
		}
	}
	return nil
}

// has reports whether the zip has the bytes of a file, or of the files of a plugin folder.
func (a *spaceArchive) has(name string) bool {
	return a.entries[name] != nil || len(a.folders[name]) > 0
}

func (a *spaceArchive) open(name string) (io.ReadCloser, error) {
	if a.entries[name] == nil {
		return nil, fmt.Errorf("the archive has no %s", name)
	}
	return a.entries[name].Open()
}

// text returns the content of a text file. It returns an error if the file has more than maxText
// bytes.
func (a *spaceArchive) text(name string) ([]byte, error) {
	file, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err == nil && len(text) > maxText {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxText)
	}
	return text, err
}

// close closes and removes the temporary file.
func (a *spaceArchive) close() error {
	return errors.Join(a.file.Close(), os.Remove(a.file.Name()))
}
