package splat

import (
	"context"
	"errors"

	"portico/splat/folder"
	"portico/splat/html"
	"portico/splat/input"
)

// embedded is a capture in an HTML page, both as a file and as a folder that contains only this
// file. Closing it does nothing, because the page is closed separately.
type embedded struct{ *html.Capture }

// Open implements folder.Reader.
func (e embedded) Open(context.Context, string) (folder.File, error) { return e, nil }

// Close implements folder.File.
func (embedded) Close() error { return nil }

// EmbeddedCapture is the capture in an HTML page.
type EmbeddedCapture struct {
	// Content reads from the page, which must stay open.
	Content folder.File
	// Extension is the extension of files with such content.
	Extension string
	// Settings are the settings of the viewer (package experience); nil for none.
	Settings []byte
}

// ExtractCapture returns the capture in an HTML page. A page without a capture is an *InputError about
// name.
func ExtractCapture(ctx context.Context, page folder.File, name string) (*EmbeddedCapture, error) {
	found, err := html.Find(ctx, page)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, input.Errorf(name, "has no capture inside").
			Advise("Export the scene as an HTML viewer in one file, or upload the capture itself")
	}
	settings, err := html.Settings(ctx, found)
	return &EmbeddedCapture{embedded{found}, found.Extension, settings}, err
}

// openHTML opens the capture in an HTML page. The facts are the facts of the capture, but the
// format is FormatHTML, because viewers cannot load a page.
func openHTML(ctx context.Context, c *Capture, file folder.File) error {
	found, err := html.Find(ctx, file)
	if err != nil {
		return err
	}
	if found == nil {
		return input.Errorf(c.name, "has no capture")
	}
	open := map[string]func(context.Context, *Capture) error{".sog": openSOG, ".ply": openFile(openPLY), ".spz": openFile(openSPZ)}
	// The name has a suffix, so that a fault names the capture and not the page.
	inner := &Capture{name: c.name + "/capture" + found.Extension, folder: embedded{found}, options: c.options}
	if err := open[found.Extension](ctx, inner); err != nil {
		return err
	}
	c.source, c.measure, c.Facts = inner.source, inner.measure, inner.Facts
	c.close = func() error { return errors.Join(inner.Close(), file.Close()) }
	c.Facts.Format = FormatHTML
	return nil
}
