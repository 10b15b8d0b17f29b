package view

import (
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"portico/model"
)

// ReadBody returns the body of a request, valid UTF-8 of at most maxBytes. Its errors are
// *model.Error.
func ReadBody(w http.ResponseWriter, r *http.Request, maxBytes int64) ([]byte, error) {
	body, err := ReadBytes(w, r, maxBytes)
	if err == nil && !utf8.Valid(body) { // encoding/json would replace the bytes silently
		return nil, model.Invalidf("Request body must be valid UTF-8")
	}
	return body, err
}

// ReadBytes is ReadBody for a body that is no text.
func ReadBytes(w http.ResponseWriter, r *http.Request, maxBytes int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, model.TooLargef("Request body is over the maximum of %d bytes", maxBytes)
	}
	if refused, ok := errors.AsType[*model.Error](err); ok { // by auth: the key was revoked meanwhile
		return nil, refused
	}
	if err != nil {
		return nil, &model.Error{Code: model.CodeInvalid, Message: "Request body ended early", Err: err}
	}
	return body, nil
}
