package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// The words of the envelope's status (API sections 4 and 7).
const (
	statusOK         = "ok"
	statusConfirmed  = "confirmed"
	statusProcessing = "processing"
	statusError      = "error"
)

// envelope is what every answer but an error is wrapped in (API section 1,
// convention 1). Message and Data are left out where there is none.
type envelope struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// refusal is the body of an error. RetryAfterSeconds goes with 429 only.
type refusal struct {
	Status            string `json:"status"`
	Message           string `json:"message"`
	RetryAfterSeconds int    `json:"retry_after_seconds,omitempty"`
}

// messageView is data that only says what happened.
type messageView struct {
	Message string `json:"message"`
}

// respondOK answers 200 with the data.
func respondOK(w http.ResponseWriter, data any) error {
	return respond(w, http.StatusOK, envelope{Status: statusOK, Data: data})
}

// refuse answers with an error. Errors of the domain come here by way of
// api.render; the door's own, which have no model.Code, come directly.
func refuse(w http.ResponseWriter, status int, body refusal) error {
	body.Status = statusError
	return respond(w, status, body)
}

// respond answers with the body as JSON. It writes nothing when the body cannot
// be encoded, so that the error can still be answered.
func respond(w http.ResponseWriter, status int, body any) error {
	var b bytes.Buffer
	if whole, ok := body.(envelope); ok && whole.Message == "" {
		if view, ok := whole.Data.(appender); ok {
			b.Grow(view.size() + 64)
			b.Write(append(view.appendTo(append(b.AvailableBuffer(), `{"status":"`+whole.Status+`","data":`...)), "}\n"...))
		}
	}
	if b.Len() == 0 {
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false) // contract, Bodies and errors
		if err := encoder.Encode(body); err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	// Answers hold a user's own things and strangers' HTML: nobody is to keep
	// them, and no browser to take them for a page.
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails when the client has gone: nobody is left to tell
	return nil
}
