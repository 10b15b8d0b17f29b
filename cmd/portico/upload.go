package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

type uploadCommand struct {
	Path     string `arg:"" help:"The file to upload." type:"existingfile"`
	Space    string `help:"Place the file in this space." placeholder:"ID"`
	Server   string `help:"Address of the server." env:"PORTICO_URL" default:"http://127.0.0.1:8080"`
	Key      string `help:"API key of the account." env:"PORTICO_KEY" required:""`
	Continue string `help:"Continue an interrupted upload, by the address that it printed." placeholder:"URL"`
	Parallel int    `help:"How many parts of a large file are sent at the same time, 1 to 8." default:"4" placeholder:"N"`
	JSON     bool   `help:"Print JSON lines: progress, then the result or the error."`
}

// uploadResult is what portico upload prints. EntityID is empty if the file was put into no space.
type uploadResult struct {
	ResourceKey string `json:"resource_key"`
	URL         string `json:"url"`
	EntityID    string `json:"entity_id,omitempty"`
}

// Run uploads the file. It continues automatically after a broken connection or a restart of the
// server.
//
// It waits for the conversion of a capture, too, and prints the address of the result. A second run
// with --continue asks the server how many bytes it has and sends the rest.
func (c *uploadCommand) Run(ctx context.Context, in *invocation) error {
	return reportError(in, c.JSON, c.upload(ctx, in))
}

// upload creates the upload, or continues the upload of --continue, and prints the result.
func (c *uploadCommand) upload(ctx context.Context, in *invocation) error {
	file, err := os.Open(c.Path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p := newProgress(in, c.JSON)
	remote := &remote{server: c.Server, key: c.Key}
	if c.Space != "" {
		if err = remote.checkOwned(ctx, c.Space); err != nil {
			return fmt.Errorf("--space=%s: %w", c.Space, err)
		}
	}
	address := c.Continue
	if address == "" {
		if address, err = remote.createUpload(ctx, filepath.Base(c.Path), info.Size(), c.Parallel); err != nil {
			return err
		}
	}
	report := func(sent int64, message string) { p.report(percentage(sent, info.Size()), message) }
	result, err := c.sendFile(ctx, &transfer{remote: remote, address: address, file: file, size: info.Size(), report: report}, p)
	p.bar.clear()
	if err != nil {
		return fmt.Errorf("%w\nTo continue, add --continue %s", err, address)
	}
	return p.printResult(result, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, result.URL)
		return err
	})
}

// sendFile sends the bytes, confirms the upload, and adds the file to the space of --space. After
// an error the upload still exists, so that --continue can use it until it expires.
func (c *uploadCommand) sendFile(ctx context.Context, t *transfer, p *progress) (*uploadResult, error) {
	if err := t.send(ctx); err != nil {
		return nil, err
	}
	result, err := t.remote.completeUpload(ctx, t.address, p)
	if err == nil && c.Space != "" {
		result.EntityID, err = t.remote.place(ctx, c.Space, result.ResourceKey)
	}
	return result, err
}

// place adds an entity that shows the file to a space, and returns its id.
//
// The id follows from the file, so that a repeated request changes nothing: the response to the
// first one may be lost, also until a later run with --continue (docs/rest.md, Entities).
func (r *remote) place(ctx context.Context, space, resourceKey string) (entityID string, err error) {
	sum := sha256.Sum256([]byte(resourceKey))
	entityID = "user-model-" + hex.EncodeToString(sum[:8])
	entity := map[string]string{"resource_key": resourceKey, "entity_id": entityID}
	return entityID, untilResponse(ctx, func() error {
		return r.call(ctx, http.MethodPost, pathOfEntities(space), entity, nil)
	})
}
