package mcp

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"portico/graph/view"
	"portico/internal/envelope"
	"portico/model"
)

// refuse handles a request that is refused before its message is read: it has no valid key, is over
// a limit, or has an invalid body. The response is an error of REST.
//
// It runs before the SDK, so the client sees a status of HTTP and no JSON-RPC.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if model.CodeOf(err) == model.CodeUnauthenticated {
		err = cmp.Or(d.Limiter.TakeRequest(r), err)
	}
	e := model.AsError(err)
	d.logFault(r.Context(), err)
	envelope.Write(w, e.HTTPStatus(), view.Refuse(w.Header(), r, e, d.metadataURL(r)))
}

// metadataURL returns the address of the OAuth metadata of this door, with the prefix of the
// request: a client compares the metadata with the address that it has called (RFC 9728 section
// 3.3).
func (d *door) metadataURL(r *http.Request) string {
	path := "/v1/mcp"
	if strings.HasPrefix(r.URL.Path, "/api/") {
		path = "/api" + path
	}
	return d.BaseURL + model.ResourceMetadataPath + path
}

// logFault logs an internal error, with the door and the attributes.
func (d *door) logFault(ctx context.Context, err error, attributes ...any) {
	model.LogFault(ctx, d.Logger, err, append([]any{"door", "mcp"}, attributes...)...)
}
