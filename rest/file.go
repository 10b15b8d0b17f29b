package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// messageFileDeleted is the message of a success. The specification requires a message, but gives
// no text.
const messageFileDeleted = "File deleted"

// fileListView is a page of files, with the fields of lists in v1.
type fileListView struct {
	Files []view.File `json:"files"`
	view.Page
}

// files responds to GET /files with a page of the caller's files, newest first.
func (a *api) files(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().Files(r.Context(), query.limit, query.cursor)
	if err != nil {
		return err
	}
	files := make([]view.File, len(page.Nodes))
	for i, file := range page.Nodes {
		files[i] = view.NewFile(r.Context(), a.resolver, file)
	}
	return respondOK(w, fileListView{files, view.NewPage(len(files), page.TotalCount, page.PageInfo)})
}

// deleteFile handles DELETE /files?resource_key=.... The key is in the query, because many clients
// do not escape the slash in it, as a segment of the path would need.
func (a *api) deleteFile(w http.ResponseWriter, r *http.Request) error {
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	key := query.Get("resource_key")
	if key == "" {
		return model.InvalidField("resource_key", "is required")
	}
	if _, err := a.resolver.Mutation().DeleteFile(r.Context(), key); err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: messageFileDeleted})
}
