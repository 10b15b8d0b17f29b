package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/scenery"
)

const (
	// samplePath is where the sample capture is, for people who are signed in.
	samplePath = "/console/sample.sog"
	// sampleSize is the number of its Gaussians: as many as phones draw smoothly, in 2 MB.
	sampleSize = 300_000
	// sampleStartHeader has the first view of the sample, as JSON: the search for a start finds places to
	// stand, not the one with the best view.
	sampleStartHeader = "Portico-Start"
)

// sampleHandler responds with the sample capture, for people who have no capture at hand. It is
// computed when somebody asks for it, which takes seconds, and is then in memory.
type sampleHandler struct {
	mu   sync.Mutex
	file []byte
}

func (h *sampleHandler) serve(w http.ResponseWriter, r *http.Request) error {
	file, err := h.made(context.WithoutCancel(r.Context()))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	start, err := json.Marshal(newSampleStart())
	if err != nil {
		return err
	}
	w.Header().Set(sampleStartHeader, string(start))
	_, _ = w.Write(file) // fails only when the browser has left
	return nil
}

// sampleStart is the first view of the sample, as updateFile has it.
type sampleStart struct {
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
}

func newSampleStart() sampleStart {
	view := scenery.Views()[0]
	return sampleStart{view.Eye, view.Target()}
}

// made returns the file. Whoever asks meanwhile waits for the same one.
func (h *sampleHandler) made(ctx context.Context) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		file, err := newSample(ctx)
		if err != nil {
			return nil, fmt.Errorf("make the sample capture: %w", err)
		}
		h.file = file
	}
	return h.file, nil
}

// newSample returns the sample capture as SOG, the smallest of the formats.
func newSample(ctx context.Context) ([]byte, error) {
	const name = "sample.ply"
	var trained, file bytes.Buffer
	if err := scenery.WritePLY(&trained, sampleSize); err != nil {
		return nil, err
	}
	capture, err := splat.Open(ctx, folder.Memory{name: trained.Bytes()}, name)
	if err != nil {
		return nil, err
	}
	if _, _, err := capture.WriteSOG(ctx, &file, splat.ConvertOptions{}); err != nil {
		_ = capture.Close() // it is in memory
		return nil, err
	}
	return file.Bytes(), capture.Close()
}
