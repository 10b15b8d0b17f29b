package view

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"unicode/utf8"

	"portico/model"
)

// ReadBody returns the body of a request, which must be valid UTF-8 and have at most maxBytes
// bytes. Its errors are *model.Error.
func ReadBody(w http.ResponseWriter, r *http.Request, maxBytes int64) ([]byte, error) {
	body, err := ReadBytes(w, r, maxBytes)
	if err == nil {
		err = CheckText(body)
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}

// CheckText refuses a body that is not valid UTF-8. encoding/json would replace the invalid bytes
// silently.
func CheckText(body []byte) error {
	if !utf8.Valid(body) {
		return model.Invalidf("Request body must be valid UTF-8")
	}
	return nil
}

// ReadBytes is ReadBody for a body that need not be text.
func ReadBytes(w http.ResponseWriter, r *http.Request, maxBytes int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if err != nil {
		return nil, bodyError(err, maxBytes)
	}
	return body, nil
}

// CopyBody copies a request body of at most maxBytes bytes to a file and returns its size.
//
// An error of the client is 400 or 413, a full disk is 507, and another error of the disk is
// internal.
func CopyBody(w http.ResponseWriter, r *http.Request, to TempFile, maxBytes int64) (size int64, err error) {
	size, err = to.Fill(http.MaxBytesReader(w, r.Body, maxBytes))
	if fault, ok := errors.AsType[*fs.PathError](err); ok { // an error of the file, not of the body
		return size, fmt.Errorf("store a request body: %w", fault)
	}
	if err != nil {
		return size, bodyError(err, maxBytes)
	}
	return size, nil
}

// bodyError returns the error of a request whose body could not be read.
func bodyError(err error, maxBytes int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return model.TooLargef("Request body is over the maximum of %d bytes", maxBytes)
	}
	// auth checks the key while the body is read, and the disk of a TempFile may be full.
	if refused, ok := errors.AsType[*model.Error](err); ok {
		return refused
	}
	message := "Request body ended early"
	if errors.Is(err, os.ErrDeadlineExceeded) { // package server ends slow bodies, and the oldest of too many
		message = "Request body arrived too slowly, or the server is receiving too many bodies: send it again"
	}
	return &model.Error{Code: model.CodeInvalid, Message: message, Err: err}
}
