package rest

import (
	"net/http"
	"strconv"
)

// spaceScreenshot responds to GET /spaces/:spaceId/screenshot with a picture.
//
// It responds with the bytes and not with a redirect: no response of the API redirects.
func (a *api) spaceScreenshot(w http.ResponseWriter, r *http.Request) error {
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	found, err := a.resolver.Query().SpaceScreenshot(r.Context(), pathValue(r, "spaceId"), parseNumber(query, "width"))
	if err != nil {
		return err
	}
	picture, err := found.Read(r.Context())
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "image/jpeg")
	header.Set("Content-Length", strconv.Itoa(len(picture)))
	header.Set("X-Content-Type-Options", "nosniff")
	// Both the content of the space and the people who may read it can change.
	header.Set("Cache-Control", "private, no-cache")
	_, _ = w.Write(picture) // fails only when the client has disconnected
	return nil
}
