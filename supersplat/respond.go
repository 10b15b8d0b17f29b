package supersplat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"portico/graph/view"
	"portico/model"
)

// refusal is the body of an error.
type refusal struct {
	Error string `json:"error"`
}

// adapt renders the error of a handler.
func (d *door) adapt(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			d.fail(w, r, err)
		}
	}
}

// fail responds with the error, and logs an internal error.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	if again, ok := errors.AsType[tryAgain](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(model.RetrySeconds(retryAfter)))
		_ = respond(w, http.StatusServiceUnavailable, refusal{string(again)}) // impossible: the body is a text
		return
	}
	e := model.AsError(err)
	model.LogFault(r.Context(), d.Logger, err, "door", "supersplat", "method", r.Method, "path", r.URL.Path)
	text := view.Refuse(w.Header(), r, e, d.BaseURL+model.ResourceMetadataPath).Message
	if err := respond(w, statusOf(e), refusal{text}); err != nil { // impossible: the body is a text
		model.LogFault(r.Context(), d.Logger, err, "door", "supersplat")
	}
}

// statusOf returns the status of an error. Clients repeat a request after a status of 500 or more,
// which frees no storage.
func statusOf(e *model.Error) int {
	if e.Code == model.CodeQuotaExceeded {
		return http.StatusRequestEntityTooLarge
	}
	return e.HTTPStatus()
}

// respond sends the body as JSON. It writes nothing when the body cannot be encoded.
func respond(w http.ResponseWriter, status int, body any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails only when the client has disconnected
	return nil
}

// decode reads the body, a JSON object, into the struct that v points at. Unknown fields are ignored,
// and null is the same as a missing field.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readObject(w, r)
	if err != nil {
		return err
	}
	return model.Decode(body, "", v)
}

// readObject returns the body, which must be a JSON object.
func readObject(w http.ResponseWriter, r *http.Request) (model.Object, error) {
	body, err := view.ReadBody(w, r, maxBody)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '{' || !json.Valid(body) {
		return nil, model.Invalidf("The body must be a JSON object")
	}
	return model.Object(body), model.CheckSurrogates("The body", body)
}
