package graph

import (
	"archive/zip"
	"context"
	"io"
	"slices"
	"strings"

	"portico/model"
)

// addDownloads adds what the caller, who may download what is in the space, can take away of a file
// that the page lists: the file as it was uploaded, and the view that was made of it. Files that are
// neither captures nor models are for the space alone.
func addDownloads(page *model.SpacePage, item *model.SpaceItem) {
	if item.File == nil || !item.File.IsDownloadable() {
		return
	}
	file := item.File
	download := model.Download{EntityID: item.EntityID, File: file, Bytes: file.Size}
	page.Downloads = append(page.Downloads, download)
	if file.ViewKey != "" {
		download.View, download.Bytes = true, 0
		page.Downloads = append(page.Downloads, download)
	}
}

// Download returns what the page of a space offers as a download: of an entity, the file or its view.
func (r Queries) Download(ctx context.Context, spaceID, entityID string, view bool) (*model.Download, error) {
	page, err := r.SpacePage(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	if !page.MayDownload {
		return nil, model.Forbidden("The owner of this space offers no downloads")
	}
	i := slices.IndexFunc(page.Downloads, func(d model.Download) bool { return d.EntityID == entityID && d.View == view })
	if i < 0 {
		return nil, model.NotFound(model.FileNotFound)
	}
	found := page.Downloads[i]
	if found.Folder() == "" {
		found.URL = r.readURL(ctx, found.StorageKey())
	}
	return &found, nil
}

// WriteDownload writes the objects of a download that is a folder, as a zip. They are not compressed,
// because captures already are. An error after the first byte leaves a zip without its end.
func (r Queries) WriteDownload(ctx context.Context, d *model.Download, w io.Writer) error {
	archive := zip.NewWriter(w)
	folder := d.Folder()
	for object, err := range r.store.List(ctx, folder) {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(object.Key, folder)
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: d.File.CreatedAt.Time})
		if err != nil {
			return err
		}
		if err := r.copyObject(ctx, entry, object.Key); err != nil {
			return err
		}
	}
	return archive.Close()
}

// copyObject copies an object of the store.
func (r *Resolver) copyObject(ctx context.Context, w io.Writer, key string) error {
	content, err := r.store.Open(ctx, key)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // read only
	_, err = io.Copy(w, content)
	return err
}
