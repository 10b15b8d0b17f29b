// Package transfer has the commands that bring files into an account of a server with its key: upload
// for one file, and import for all of an export.
package transfer

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"portico/client"
	"portico/cmd/portico/command"
)

// UploadCommand is "portico upload". It uploads files.
type UploadCommand struct {
	Path  string `arg:"" help:"The file to upload." type:"existingfile"`
	Space string `help:"Place the file in this space." placeholder:"ID"`
	command.ServerFlags
	Continue string `help:"Continue an interrupted upload, by the address that it printed." placeholder:"URL"`
	Parallel int    `help:"How many parts of a large file are sent at the same time, 1 to 8." default:"4" placeholder:"N"`
	JSON     bool   `help:"Print JSON lines: progress, then the result or the error."`
}

// Run uploads the file. It continues automatically after a broken connection or a restart of the
// server.
//
// It waits for the conversion of a capture, too, and prints the address of the result. A second run
// with --continue asks the server how many bytes it has and sends the rest.
func (c *UploadCommand) Run(ctx context.Context, in *command.Invocation) error {
	return command.ReportError(in, c.JSON, c.upload(ctx, in), nil)
}

// upload creates the upload, or continues the upload of --continue, and prints the result.
func (c *UploadCommand) upload(ctx context.Context, in *command.Invocation) error {
	file, err := os.Open(c.Path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p := command.NewProgress(in, c.JSON)
	remote := c.Client()
	if c.Space != "" {
		if err = remote.CheckOwned(ctx, c.Space); err != nil {
			return fmt.Errorf("--space=%s: %w", c.Space, err)
		}
	}
	address := c.Continue
	if address == "" {
		if address, err = remote.CreateUpload(ctx, filepath.Base(c.Path), info.Size(), c.Parallel); err != nil {
			return err
		}
	}
	result, err := c.send(ctx, remote, address, file, info.Size(), p)
	p.Clear()
	if err != nil {
		return fmt.Errorf("%w\nTo continue, add --continue %s", err, address)
	}
	return p.PrintResult(result, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, result.URL)
		return err
	})
}

// send sends the bytes, confirms the upload, and adds the file to the space of --space. After
// an error the upload still exists, so that --continue can use it until it expires.
func (c *UploadCommand) send(ctx context.Context, remote *client.Client, address string, file *os.File, size int64, p *command.Progress) (*client.StoredFile, error) {
	err := remote.SendFile(ctx, address, file, size, func(sent int64, message string) { p.Report(command.Percentage(sent, size), message) })
	if err != nil {
		return nil, err
	}
	result, err := remote.CompleteUpload(ctx, address, p.Report)
	if err == nil && c.Space != "" {
		result.EntityID, err = remote.Place(ctx, c.Space, result.ResourceKey)
	}
	return result, err
}
