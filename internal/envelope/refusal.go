// Package envelope has the body of errors over HTTP (API section 7). Package view fills it for
// REST, tus and MCP, and package storage for the addresses of files.
package envelope

import (
	"encoding/json"
	"net/http"

	"portico/model"
)

// Refusal is the body of an error (API section 7).
type Refusal struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	// RetryAfterSeconds is set for 429 only.
	RetryAfterSeconds int `json:"retry_after_seconds,omitempty"`
	// The details of a refused change set: its invalid files, with 422; and with 409 the entities that
	// it would delete, or the files that have changed.
	ValidationErrors model.ChangeFaults   `json:"validationErrors,omitempty"`
	PlannedDeletes   model.PlannedDeletes `json:"plannedDeletes,omitempty"`
	Conflicts        model.FileConflicts  `json:"conflicts,omitempty"`
}

// NewRefusal returns the body of an error without validation errors, planned deletes or conflicts.
func NewRefusal(message string) Refusal { return Refusal{Status: "error", Message: message} }

// Write sends the status and the body. REST has its own writer, because its responses have a
// Content-Length.
func Write(w http.ResponseWriter, status int, body Refusal) {
	WriteStatus(w, status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // clients compare texts byte by byte
	_ = encoder.Encode(body)     // fails only when the client has disconnected
}

// WriteStatus sends the status and the headers of Write, without the body.
func WriteStatus(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length") // of what the response would have been
	w.WriteHeader(status)
}
