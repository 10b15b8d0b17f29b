package semaphore

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ErrGaveWay is the error of a holder whose place the room has taken.
var ErrGaveWay = errors.New("others needed the place of a slow client")

// Response is a response that has a place in a room while its client reads it. What the client has
// read is its progress; when the place has to give way, writes fail.
type Response struct {
	http.ResponseWriter
	*Place
}

// Respond waits for a place for a response, as Wait does. The caller must call Leave.
func (r *Room) Respond(ctx context.Context, key string, w http.ResponseWriter) (*Response, error) {
	control := http.NewResponseController(w)
	place, err := r.Wait(ctx, key, 1, func() {
		_ = control.SetWriteDeadline(time.Unix(1, 0)) // fails only on a closed connection
	})
	if err != nil {
		return nil, err
	}
	return &Response{w, place}, nil
}

// Write implements http.ResponseWriter.
func (w *Response) Write(p []byte) (int, error) {
	if w.GaveWay() {
		return 0, ErrGaveWay
	}
	n, err := w.ResponseWriter.Write(p)
	w.Progress(int64(n))
	if err != nil && w.GaveWay() {
		return n, ErrGaveWay
	}
	return n, err
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (w *Response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
