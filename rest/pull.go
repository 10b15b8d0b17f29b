package rest

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"portico/graph/view"
	"portico/internal/semaphore"
	"portico/model"
)

const (
	// An archive is in memory while its entities are read, and takes about three times the size of
	// their JSON. Afterwards it is on disk. So few are made at a time, one of an account, and
	// maxWaitingPulls more of an account wait.
	maxMadePulls    = 2
	maxWaitingPulls = 4
	// maxSentPulls is the maximum number of archives that are sent at the same time, and
	// maxSentPullsOfAccount those of one account. One whose client reads slower than minPullRate bytes
	// per second, on average after pullGrace, gives its place to others that wait.
	maxSentPulls          = 64
	maxSentPullsOfAccount = 8
	minPullRate           = 8 << 10
	pullGrace             = 20 * time.Second
)

// pulls has the places of archives that are made, and of those that are sent.
type pulls struct{ made, sent semaphore.Room }

func newPulls() pulls {
	return pulls{
		made: semaphore.Room{Size: maxMadePulls, Share: 1, MaxWaiting: maxWaitingPulls},
		sent: semaphore.Room{
			Size: maxSentPulls, Share: maxSentPullsOfAccount, MaxWaiting: maxWaitingPulls, Floor: minPullRate, Grace: pullGrace,
		},
	}
}

// exportSpace responds to POST /spaces/:spaceId/pull with an archive of the space. It copies the
// bytes of plugins and assets from the store to the response, and those of entities from the disk,
// so a client that reads slowly takes no memory.
func (a *api) exportSpace(w http.ResponseWriter, r *http.Request) error {
	account := accountOf(r.Context())
	waiting, cancel := context.WithTimeout(r.Context(), maxMemoryWait)
	defer cancel()
	sent, err := a.pulls.sent.Respond(waiting, account, w)
	if err != nil {
		return waitRefusal(r.Context(), err, "Too many pulls at the same time")
	}
	defer sent.Leave()
	made, err := a.makePull(waiting, r, account)
	if err != nil {
		return waitRefusal(r.Context(), err, "Too many pulls at the same time")
	}
	defer made.texts.Close() //nolint:errcheck // it was read
	response := &archiveResponse{ResponseWriter: sent}
	err = a.writeArchive(response, r, made)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("export a space: %w", err)
	if !response.started && !sent.GaveWay() {
		return err
	}
	if !sent.GaveWay() {
		a.logFault(r, err)
	}
	panic(http.ErrAbortHandler) // closes the connection, so that the client notices the incomplete archive
}

// pull is an archive that was made.
type pull struct {
	// texts is an archive on disk with all files but plugins and assets.
	texts view.TempFile
	// space has no entities any more.
	space *model.SpaceFiles
}

// makePull reads the space and writes its texts to the disk.
func (a *api) makePull(waiting context.Context, r *http.Request, account string) (*pull, error) {
	turn, err := a.pulls.made.Wait(waiting, account, 1, nil)
	if err != nil {
		return nil, err
	}
	defer turn.Leave()
	export, err := a.resolver.Query().ExportSpace(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return nil, err
	}
	file, err := view.NewTempFile(a.tempFolder, "portico-pull-*")
	if err == nil {
		err = a.writeTexts(file, export)
		a.logFullDisk(err)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	export.Entities = nil
	return &pull{file, export}, nil
}

// writeTexts writes the texts of the space and the manifest of all files.
func (a *api) writeTexts(file view.TempFile, export *model.SpaceFiles) error {
	shown := view.NewSpaceFiles(a.resolver, export)
	manifest, err := json.MarshalIndent(view.NewManifest(export, shown), "", "  ")
	if err != nil {
		return err
	}
	content, sending := io.Pipe()
	go func() {
		out := zip.NewWriter(sending)
		var err error
		for _, file := range shown.Files {
			if file.Content != nil && err == nil {
				err = writeFile(out, file.Path, []byte(*file.Content))
			}
		}
		if err == nil {
			err = errors.Join(writeFile(out, model.ManifestFile, append(manifest, '\n')), out.Close())
		}
		_ = sending.CloseWithError(err) // never fails
	}()
	_, err = file.Fill(content)
	_ = content.Close() // ends the goroutine after an error of the disk
	return err
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

// writeArchive writes the files of the space and their manifest, which is the last. With assets=0 in
// the query, plugins and assets are only in the manifest.
func (a *api) writeArchive(w io.Writer, r *http.Request, made *pull) error {
	size, err := made.texts.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	texts, err := zip.NewReader(made.texts, size)
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	last := len(texts.File) - 1
	for _, file := range texts.File[:last] {
		if err := out.Copy(file); err != nil {
			return err
		}
	}
	if querySwitch(r, "assets", true) {
		for _, file := range made.space.Files {
			if err := a.copyFile(out, r, made.space, file); err != nil {
				return a.resolver.SpaceFileError(r.Context(), file, err)
			}
		}
	}
	return errors.Join(out.Copy(texts.File[last]), out.Close())
}

// writeFile adds a compressed file to the archive.
func writeFile(out *zip.Writer, name string, content []byte) error {
	file, err := out.Create(name)
	if err == nil {
		_, err = file.Write(content)
	}
	return err
}

// copyFile writes a plugin or an asset, or all files of a plugin folder.
func (a *api) copyFile(out *zip.Writer, r *http.Request, export *model.SpaceFiles, file *model.SpaceFile) error {
	return a.resolver.EachSpaceFile(r.Context(), export, file, func(name string, content io.Reader) error {
		entry, err := out.Create(model.SpaceFolder + name)
		if err == nil {
			_, err = io.Copy(entry, content)
		}
		return err
	})
}
