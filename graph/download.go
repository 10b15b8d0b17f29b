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
	download := model.Download{EntityID: item.EntityID, File: file, Bytes: file.Size, Formats: file.DownloadTargets()}
	page.Downloads = append(page.Downloads, download)
	download.Formats = nil
	if file.ViewKey != "" {
		download.View, download.Bytes = true, 0
		page.Downloads = append(page.Downloads, download)
	}
}

// Download returns what the page of a space offers as a download: of an entity, the file or its view.
func (r Queries) Download(ctx context.Context, spaceID, entityID string, view bool) (*model.Download, error) {
	found, err := r.offered(ctx, spaceID, entityID, view)
	if err == nil && found.Folder() == "" {
		found.URL = r.readURL(ctx, found.StorageKey())
	}
	return found, err
}

// offered returns a download of a space, if the caller may have it.
func (r Queries) offered(ctx context.Context, spaceID, entityID string, view bool) (*model.Download, error) {
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
	return &page.Downloads[i], nil
}

// RequestDownload returns a capture of a space in another format, which it has made if nobody has asked
// for it in the last hours. Clients ask again until the format is made. The caller must be one who may
// download what is in the space (access.MayDownload).
func (r Mutations) RequestDownload(ctx context.Context, in model.RequestDownload) (*model.FormatDownload, error) {
	file, err := r.formatSource(ctx, in)
	if err != nil {
		return nil, err
	}
	return r.described(ctx, file)(r.db.Files().AskFormat(ctx, file, in.Format))
}

// FormatDownload is RequestDownload that has nothing made. It returns CodeNotFound for a format that
// nobody has asked for.
func (r Queries) FormatDownload(ctx context.Context, in model.RequestDownload) (*model.FormatDownload, error) {
	file, err := r.formatSource(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := r.described(ctx, file)(r.db.Files().FormatDownload(ctx, file, in.Format))
	if err == nil && found == nil {
		err = model.NotFound(model.FileNotFound)
	}
	return found, err
}

// formatSource returns the file whose other format the caller asks for.
func (r *Resolver) formatSource(ctx context.Context, in model.RequestDownload) (*model.File, error) {
	found, err := r.Query().offered(ctx, in.SpaceID, in.EntityID, false)
	if err != nil {
		return nil, err
	}
	return found.File, in.Check(found.File)
}

// described adds the title, and the address of a format that is made.
func (r *Resolver) described(ctx context.Context, file *model.File) func(*model.FormatDownload, error) (*model.FormatDownload, error) {
	return func(found *model.FormatDownload, err error) (*model.FormatDownload, error) {
		if err != nil || found == nil {
			return nil, err
		}
		found.Title = file.Title()
		if found.State() == model.StepReady {
			found.URL = r.readURL(ctx, found.StorageKey())
		}
		return found, nil
	}
}

// SpaceToTakeAway returns a space that the caller takes away as a whole, to show it without this server.
func (r Queries) SpaceToTakeAway(ctx context.Context, spaceID string) (*model.Space, error) {
	return r.access.OwnedSpace(ctx, spaceID)
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
