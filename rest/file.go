package rest

import (
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
	// URL serves the bytes to everybody who knows it.
	URL       string     `json:"url"`
	CreatedAt model.Time `json:"created_at"`
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
		address, err := a.resolver.File().URL(r.Context(), file)
		if err != nil {
			return err
		}
		views[i] = fileView{
			ResourceKey: file.ResourceKey, FileName: file.Name, FileSize: file.Size,
			ContentType: file.ContentType, URL: address, CreatedAt: file.CreatedAt,
		}
	}
	return respondOK(w, filePageView{views, newPageView(len(views), page.TotalCount, page.PageInfo)})
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
