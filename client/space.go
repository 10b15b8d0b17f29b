package client

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

	"github.com/cenkalti/backoff/v5"

	"portico/model"
)

// maxText is the maximum size of a text in a pulled archive, in bytes.
const maxText = 64 << 20

// PulledSpace is a pulled space in a temporary file.
//
// It is the zip that POST /spaces/:spaceId/pull responds with:
//
//	.materialize-manifest.json  the id of the space, and the path and SHA-256 of each file
//	space/...                   entities; plugins, with the files of their folders, and assets only
//	                            on request
//	space/README.md             a description of the folder, which is not in the manifest
type PulledSpace struct {
	file *os.File
	// entries are the files whose bytes are in the zip, by path.
	entries map[string]*zip.File
	// Folders are the paths of the files of each plugin folder whose bytes are in the zip, by the
	// path of the folder.
	Folders map[string][]string
	// Files are the SHA-256 of the files of the space, by path. A plugin folder is one of them.
	Files map[string]string
}

// Pull downloads a space. Without assets, the archive has only the hashes of plugins and assets.
// The caller closes the archive. An archive that is not one of the space is a *backoff.PermanentError.
func (c *Client) Pull(ctx context.Context, spaceID string, assets bool) (_ *PulledSpace, err error) {
	address := c.Server + "/v1/spaces/" + spaceID + "/pull"
	if !assets {
		address += "?assets=0"
	}
	response, err := c.open(ctx, http.MethodPost, address, http.Header{}, http.NoBody)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	file, err := os.CreateTemp("", "portico-*.zip")
	if err != nil {
		return nil, err
	}
	a := &PulledSpace{file: file, entries: map[string]*zip.File{}, Folders: map[string][]string{}, Files: map[string]string{}}
	size, err := io.Copy(file, response.Body)
	if err == nil {
		if err = a.readDirectory(spaceID, size); err != nil {
			err = backoff.Permanent(err)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the response of the server: %w", err), a.Close())
	}
	return a, nil
}

// readDirectory reads the list of files from the manifest. It accepts only the paths of a space's
// files, so that a hostile server cannot name another file of this computer.
func (a *PulledSpace) readDirectory(spaceID string, size int64) error {
	archive, err := zip.NewReader(a.file, size)
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		a.entries[entry.Name] = entry
		if target, err := model.ParseChangePath(entry.Name); err == nil && target.Inner != "" {
			folder := model.SpaceFolder + target.File
			a.Folders[folder] = append(a.Folders[folder], entry.Name)
		}
	}
	text, err := a.Text(model.ManifestFile)
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
			a.Files[file.File] = file.SHA
		}
	}
	return nil
}

// Has reports whether the zip has the bytes of a file, or of the files of a plugin folder.
func (a *PulledSpace) Has(name string) bool {
	return a.entries[name] != nil || len(a.Folders[name]) > 0
}

// Open opens a file of the zip, and fails if the zip lacks its bytes.
func (a *PulledSpace) Open(name string) (io.ReadCloser, error) {
	if a.entries[name] == nil {
		return nil, fmt.Errorf("the archive has no %s", name)
	}
	return a.entries[name].Open()
}

// Text returns the content of a text file. It returns an error if the file has more than maxText
// bytes.
func (a *PulledSpace) Text(name string) ([]byte, error) {
	file, err := a.Open(name)
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

// Close closes and removes the temporary file.
func (a *PulledSpace) Close() error {
	return errors.Join(a.file.Close(), os.Remove(a.file.Name()))
}

// FilePut is a file in a change set. It has either Content or ResourceKey.
type FilePut struct {
	Path string `json:"path"`
	// Content is the new content: the text itself, or base64 if Encoding is "base64". A pointer,
	// because an empty file differs from a file without content.
	Content  *string `json:"content,omitempty"`
	Encoding string  `json:"encoding,omitempty"`
	// ResourceKey is a file of the account that becomes the asset. The bytes were uploaded before.
	ResourceKey string `json:"resource_key,omitempty"`
}

// ChangeSet is the body of a change set. The server makes all changes or none.
type ChangeSet struct {
	// Puts are created or replaced, and Deletes are paths.
	Puts    []FilePut `json:"puts"`
	Deletes []string  `json:"deletes"`
	// Expected are the hashes that the files had at the last pull. If the server has another
	// version of one of them, it refuses the whole change set, so a push never overwrites the work
	// of somebody else.
	Expected []model.ExpectedFile `json:"expected"`
}

// IsFolder reports whether the path of a file of the space is that of a plugin folder.
func IsFolder(name string) bool {
	target, err := model.ParseChangePath(name)
	return err == nil && target.Inner == "" && model.IsPluginFolder(target.File)
}

// IsText reports whether the file is an entity, a plugin, or a text in a plugin folder. The server
// stores these texts with LF.
func IsText(name string) bool {
	target, err := model.ParseChangePath(name)
	return err == nil && (target.EntityID != "" || path.Ext(target.File) == ".mjs" || model.IsPluginText(target.Inner))
}
