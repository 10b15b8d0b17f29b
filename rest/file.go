package rest

import (
	"context"
	"net/http"
	"net/url"

	"portico/model"
)

// resourceView names what came of an upload.
type resourceView struct {
	ResourceKey string `json:"resource_key"`
	URL         string `json:"url"`
}

// fileView is an item of GET /files. The specification shows none: the names are
// those that uploads and jobs use for the same things.
type fileView struct {
	ResourceKey string `json:"resource_key"`
	FileName    string `json:"file_name"`
	// FileSize is that of all objects where a zip was extracted.
	FileSize    int64  `json:"file_size"`
	ContentType string `json:"content_type"`
	// URL stays the same, and serves the bytes to everybody who may read them.
	URL string `json:"url"`
	// ReadURL is left out where everybody may read URL.
	ReadURL   string     `json:"read_url,omitempty"`
	CreatedAt model.Time `json:"created_at"`
	// Facts is null until the file was looked into.
	Facts *model.FileFacts `json:"facts"`
	// PosterURL is null while there is no poster.
	PosterURL *string `json:"poster_url"`
	// ViewURL is what a viewer should load; URL where that needs no other form.
	ViewURL string `json:"view_url"`
	// Attribution is the line that must be shown with the file; null for none.
	Attribution *string `json:"attribution"`
	// DerivedBytes is what poster and view take besides FileSize.
	DerivedBytes int64 `json:"derived_bytes"`
}

// filePageView pages like the entities of a space.
type filePageView struct {
	Files []fileView `json:"files"`
	pageView
}

// files answers GET /files: the caller's files, newest first. Uploads that are
// not confirmed are no files yet.
func (a *api) files(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().Files(r.Context(), query.limit, query.cursor)
	if err != nil {
		return err
	}
	views := make([]fileView, len(page.Nodes))
	for i, file := range page.Nodes {
		views[i] = a.viewFile(r.Context(), file)
	}
	return respondOK(w, filePageView{views, newPageView(len(views), page.TotalCount, page.PageInfo)})
}

// viewFile asks the resolvers that GraphQL asks, so both doors say the same.
func (a *api) viewFile(ctx context.Context, file *model.File) fileView {
	view := fileView{
		ResourceKey: file.ResourceKey, FileName: file.Name, FileSize: file.Size, ContentType: file.ContentType,
		CreatedAt: file.CreatedAt, Facts: file.Facts, DerivedBytes: file.DerivedBytes,
		URL: a.resolver.FileURL(file), ReadURL: a.resolver.FileReadURL(ctx, file), ViewURL: a.resolver.FileViewURL(ctx, file),
		PosterURL: a.resolver.FilePosterURL(ctx, file), Attribution: file.AttributionLine(),
	}
	if view.ReadURL == view.URL {
		view.ReadURL = ""
	}
	return view
}

// deleteFile answers DELETE /files?resource_key=...: the key has a slash, so it
// is no segment of a path.
func (a *api) deleteFile(w http.ResponseWriter, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return errMalformedQuery()
	}
	key := query.Get("resource_key")
	if key == "" {
		return model.Invalidf("resource_key is required")
	}
	if _, err := a.resolver.Mutation().DeleteFile(r.Context(), key); err != nil {
		return err
	}
	return respondOK(w, messageView{messageFileDeleted})
}
