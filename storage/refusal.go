package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"portico/model"
)

// The messages for clients.
const (
	messageNotFound    = "File not found"
	messageMethod      = "Method not allowed"
	messageNotSigned   = "The upload address was not issued for this method, path, Content-Type and size"
	messageExpired     = "The upload address has expired"
	messageWrongSize   = "The body does not have the promised size"
	messageConflict    = "Another file was already uploaded to this address"
	messageSettled     = "The upload was confirmed or given up already"
	messageFull        = "The server has no storage left for this file"
	messageBusy        = "This file is being uploaded several times at once already"
	messageStalled     = "The upload stalled"
	messageInterrupted = "The upload was interrupted"
)

// refusal is an error with the answer that the client gets.
type refusal struct {
	status  int
	message string
}

// Error returns the message, for logs.
func (e *refusal) Error() string { return fmt.Sprintf("%d: %s", e.status, e.message) }

func refuse(status int, message string) error { return &refusal{status, message} }

// refusalOf returns the answer to an error of this package; 500 for one that is internal.
func refusalOf(err error) *refusal {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e
	}
	_, reading := errors.AsType[*readError](err)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalidKey):
		return &refusal{http.StatusNotFound, messageNotFound}
	case errors.Is(err, ErrFull):
		return &refusal{http.StatusInsufficientStorage, messageFull}
	case reading && errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{http.StatusRequestTimeout, messageStalled}
	case reading:
		return &refusal{http.StatusBadRequest, messageInterrupted}
	}
	return &refusal{http.StatusInternalServerError, model.InternalMessage}
}

// fail answers with the refusal of err, and logs it. Only internal errors are logged as
// errors. The logged path has no signature.
func fail(log *slog.Logger, w http.ResponseWriter, r *http.Request, err error) {
	e := refusalOf(err)
	level := slog.LevelDebug
	if e.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	log.LogAttrs(r.Context(), level, "file request refused",
		slog.String("method", r.Method), slog.String("path", WithoutSignature(r.URL.Path)),
		slog.Int("status", e.status), slog.Any("error", err),
		slog.String("request_id", model.RequestID(r.Context())))
	writeRefusal(w, e)
}

// writeRefusal sends the error envelope of the API. It first removes the headers that
// describe a file.
func writeRefusal(w http.ResponseWriter, e *refusal) {
	h := w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "ETag", "Last-Modified", "Vary"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(e.status)
	body := struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}{"error", e.message}
	// An error means that the client has left.
	_ = json.NewEncoder(w).Encode(body)
}
