package door

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strconv"

	"portico/internal/envelope"
	"portico/model"
	"portico/storage"
)

// The refusals of a client's request. They are model.Errors, as at every door, and
// get their status from the same table, model.Code.HTTPStatus, except for a transferError.
// Their texts are here and not with the API's: the sender of a presigned PUT, often a browser
// or curl, speaks plain HTTP to the storage and calls no operation.
var (
	errNoFile      = model.NotFound("File not found")
	errMethod      = &transferError{model.Invalidf("Method not allowed"), http.StatusMethodNotAllowed}
	errDiskFull    = &model.Error{Code: model.CodeQuotaExceeded, Message: model.DiskFull}
	errSlowBody    = &transferError{model.Invalidf("The upload stalled"), http.StatusRequestTimeout}
	errInterrupted = model.Invalidf("The upload was interrupted")
)

// transferError is a refusal with a status that only a transfer of bytes has, in place of the
// status of its code.
type transferError struct {
	refusal *model.Error
	status  int
}

// Error implements error.
func (e *transferError) Error() string { return e.refusal.Error() }

// Unwrap lets errors.As find the refusal.
func (e *transferError) Unwrap() error { return e.refusal }

// statusOf returns the HTTP status of a refusal: the one of a transfer, if it has one, or the one
// of its code.
func statusOf(err error) int {
	if e, ok := errors.AsType[*transferError](err); ok {
		return e.status
	}
	return model.AsError(err).HTTPStatus()
}

// refusalOf returns what a client may see of an error of this package, for model.AsError and
// statusOf. The text of any other error could reveal something about the server, so model.AsError
// makes it an internal error.
func refusalOf(err error) error {
	_, reading := errors.AsType[*storage.SourceError](err)
	_, refused := errors.AsType[*model.Error](err)
	switch {
	case refused: // before the errors that may be joined to it
		return err
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrInvalidKey):
		return errNoFile
	case errors.Is(err, storage.ErrFull):
		return errDiskFull
	case reading && errors.Is(err, os.ErrDeadlineExceeded):
		return errSlowBody
	case reading:
		return errInterrupted
	}
	return err
}

// fail responds with the refusal of err, and logs err.
func fail(log *slog.Logger, w http.ResponseWriter, r *http.Request, err error) {
	refused := refusalOf(err)
	e, status := model.AsError(refused), statusOf(refused)
	logRefusal(log, r, status, err)
	body := envelope.NewRefusal(e.Message)
	if e.Code == model.CodeRateLimited {
		body.RetryAfterSeconds = model.RetrySeconds(e.RetryAfter)
		w.Header().Set("Retry-After", strconv.Itoa(body.RetryAfterSeconds))
	}
	if e.IsOutage() {
		w.Header().Set("Retry-After", strconv.Itoa(model.RetrySeconds(e.RetryAfter)))
	}
	WriteRefusal(w, status, body)
}

// logRefusal logs the error of a request. The operator must see a full disk, which is logged as an
// error. The logged path has no signature.
func logRefusal(log *slog.Logger, r *http.Request, status int, err error) {
	path, level := WithoutSignature(r.URL.Path), slog.LevelDebug
	switch status {
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		model.LogFault(r.Context(), log, err, "door", "storage", "method", r.Method, "path", path)
		return
	case http.StatusInsufficientStorage:
		level = slog.LevelError
	}
	log.LogAttrs(r.Context(), level, "file request refused",
		slog.String("method", r.Method), slog.String("path", path),
		slog.Int("status", status), slog.Any("error", err),
		slog.String("request_id", model.RequestID(r.Context())))
}

// WriteRefusal sends the error envelope of the API. It first removes the headers that
// describe a file.
func WriteRefusal(w http.ResponseWriter, status int, body envelope.Refusal) {
	h := w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "ETag", "Last-Modified", "Vary"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	envelope.Write(w, status, body)
}
