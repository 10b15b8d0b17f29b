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
)

// envelope is the body of every response except errors (API section 1, convention 1). An empty
// Message and nil Data are omitted.
type envelope struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// appender is a view that writes its own JSON.
type appender interface {
	// AppendJSON appends the view as JSON.
	AppendJSON(b []byte) []byte
	// SizeHint returns about how many bytes it appends.
	SizeHint() int
}

// respondOK responds with 200 and the data in an envelope.
func respondOK(w http.ResponseWriter, data any) error {
	return respond(w, http.StatusOK, envelope{Status: statusOK, Data: data})
}

// respond sends the body as JSON. It writes nothing when the body cannot be encoded, so that
// the caller can respond with an error.
//
// Content-Length is always set: clients and proxies see a response that was cut off.
func respond(w http.ResponseWriter, status int, body any) error {
	var b bytes.Buffer
	if whole, ok := body.(envelope); ok && whole.Message == "" {
		// Most responses are views that append their JSON, which saves encoding/json two copies.
		if data, ok := whole.Data.(appender); ok {
			b.Grow(data.SizeHint() + 64)
			b.Write(append(data.AppendJSON(append(b.AvailableBuffer(), `{"status":"`+whole.Status+`","data":`...)), "}\n"...))
		}
	}
	if b.Len() == 0 {
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false) // clients compare texts byte by byte
		if err := encoder.Encode(body); err != nil {
			return fmt.Errorf("encode the response: %w", err)
		}
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	// Responses contain private data, and HTML of other people: caches must not store them, and
	// browsers must not render them.
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails only when the client has disconnected
	return nil
}
