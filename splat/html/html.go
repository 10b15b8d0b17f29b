// Package html finds the capture in a page that SuperSplat or splat-transform exported: a
// viewer as one HTML file, which contains a SOG bundle, or in older versions a compressed PLY,
// in a data URI. The page itself is neither parsed nor shown. Packages splat and splat/archive
// use it.
//
// Both programs document the page only by their code: playcanvas/splat-transform,
// src/lib/writers/write-html.ts, and playcanvas/supersplat at ac12d385 and later,
// src/splat-serialize.ts. A data URI is RFC 2397, and base64 is RFC 4648 section 4. At most
// 10,000 data URIs of a page are checked.
package html

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"portico/splat/folder"
)

// marker precedes the data of a URI.
const marker = ";base64,"

const (
	// windowSize is how many bytes of the page are searched at a time.
	windowSize = 1 << 20
	// maxMarkers is the maximum number of data URIs that are checked. Pages have some for images
	// and scripts.
	maxMarkers = 10_000
	// headBytes is how much of the data is decoded to recognise it.
	headBytes = 6
)

// Capture is the content of a capture in a page, as a file. A read decodes the base64 text of
// the page that it needs, so the content is never in memory. The page must stay open.
type Capture struct {
	page       folder.File
	start, end int64 // of the base64 text in the page
	// Extension is the extension that a file with the content would have, such as ".sog".
	Extension string
}

// Find returns the first capture in a page, or nil if there is none.
func Find(ctx context.Context, page folder.File) (*Capture, error) {
	checked := 0
	for from := int64(0); from < page.Size(); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// The block is a little longer than the window, because a marker may cross its end.
		b := make([]byte, min(windowSize+int64(len(marker)), page.Size()-from))
		if err := folder.ReadFull(page, b, from); err != nil {
			return nil, err
		}
		for at := 0; ; {
			next := bytes.Index(b[at:], []byte(marker))
			if next < 0 {
				break
			}
			at += next + len(marker)
			if checked++; checked > maxMarkers {
				return nil, nil //nolint:nilnil // not the page of a viewer
			}
			c, err := open(ctx, page, from+int64(at))
			if err != nil || c != nil {
				return c, err
			}
		}
		from += windowSize
	}
	return nil, nil //nolint:nilnil // any other page
}

// Contains reports whether Find would find a capture in a page that can only be read from
// front to back.
func Contains(page io.Reader) (bool, error) {
	tail := len(marker) + base64.StdEncoding.EncodedLen(headBytes)
	window, checked := make([]byte, 0, windowSize+tail), 0
	for {
		n, err := io.ReadFull(page, window[len(window):cap(window)])
		window = window[:len(window)+n]
		for rest := window; ; checked++ {
			_, text, found := bytes.Cut(rest, []byte(marker))
			if !found {
				break
			}
			if isCapture(text) {
				return true, nil
			}
			rest = text
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), checked > maxMarkers:
			return false, nil
		case err != nil:
			return false, err
		}
		// A marker and the text after it may cross the end of the window.
		window = append(window[:0], window[len(window)-tail:]...)
	}
}

// isCapture reports whether the text of a data URI starts like a capture.
func isCapture(text []byte) bool { return extensionOf(decodeHead(text)) != "" }

// decodeHead returns the first bytes of the data, or nil if it is shorter than any capture.
func decodeHead(text []byte) []byte {
	content := make([]byte, headBytes)
	// Text that is not base64 decodes to fewer bytes, so the error can be ignored.
	n, _ := base64.StdEncoding.Decode(content, text[:min(len(text), base64.StdEncoding.EncodedLen(headBytes))])
	if n < headBytes {
		return nil
	}
	return content
}

// open returns the capture whose text starts at an offset, or nil if there is none.
func open(ctx context.Context, page folder.File, start int64) (*Capture, error) {
	head := make([]byte, min(base64.StdEncoding.EncodedLen(headBytes), int(page.Size()-start)))
	if err := folder.ReadFull(page, head, start); err != nil {
		return nil, err
	}
	c := &Capture{page: page, start: start, Extension: extensionOf(decodeHead(head))}
	if c.Extension == "" {
		return nil, nil //nolint:nilnil // an image or a script
	}
	return c, c.findEnd(ctx)
}

// extensionOf returns the extension of a capture whose content starts with these bytes, or "".
func extensionOf(content []byte) string {
	for magic, extension := range map[string]string{"PK\x03\x04": ".sog", "ply\n": ".ply", "ply\r\n": ".ply", "NGSP": ".spz"} {
		if bytes.HasPrefix(content, []byte(magic)) {
			return extension
		}
	}
	return ""
}

// findEnd sets the end of the text: the first byte that is not base64. It reads the whole text,
// which is most of the page, once.
func (c *Capture) findEnd(ctx context.Context) error {
	b := make([]byte, windowSize)
	for c.end = c.start; c.end < c.page.Size(); c.end += int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		b = b[:min(windowSize, c.page.Size()-c.end)]
		if err := folder.ReadFull(c.page, b, c.end); err != nil {
			return err
		}
		if i := slices.IndexFunc(b, func(c byte) bool { return !isBase64(c) }); i >= 0 {
			c.end += int64(i)
			break
		}
	}
	// A group of four characters encodes three bytes. A single character at the end encodes none.
	if (c.end-c.start)%4 == 1 {
		c.end--
	}
	return nil
}

// isBase64 reports whether a character is in the alphabet, without the padding.
func isBase64(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// Size implements folder.File.
func (c *Capture) Size() int64 { return (c.end-c.start)/4*3 + max((c.end-c.start)%4-1, 0) }

// ReadAt implements folder.File. Groups of four characters are at known offsets, so any part
// can be decoded alone.
func (c *Capture) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("read a capture in a page: negative offset")
	}
	done := 0
	for done < len(p) {
		at := offset + int64(done)
		if at >= c.Size() {
			return done, io.EOF
		}
		group := at / 3
		// The first and the last group may be needed in part, so there are up to two more than full
		// groups. The text has at most windowSize characters, a multiple of four, so a long read
		// takes several rounds.
		text := make([]byte, min((int64(len(p)-done)/3+2)*4, windowSize, c.end-c.start-4*group))
		if err := folder.ReadFull(c.page, text, c.start+4*group); err != nil {
			return done, err
		}
		content := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
		// RawStdEncoding, because findEnd leaves out the padding.
		n, err := base64.RawStdEncoding.Decode(content, text)
		if err != nil {
			return done, fmt.Errorf("decode a capture in a page: %w", err)
		}
		done += copy(p[done:], content[at-3*group:n])
	}
	return done, nil
}

// settingsReach is how much of a page, before and after the capture, is searched for the settings. The
// program of the viewer, which may be between them, has some MB.
const settingsReach = 8 << 20

// settingsStart matches the start of the settings in a page: in the JSON that current viewers start
// with, and in the script of earlier ones.
var settingsStart = regexp.MustCompile(`["']?\bsettings["']?\s*[:=]\s*\{`)

const (
	// maxSettings is how many objects of this name are decoded: programs have such names, too.
	maxSettings = 100
	// maxSettingsBytes is the maximum size of the settings.
	maxSettingsBytes = 256 << 10
)

// Settings returns the settings of the viewer in the page of a capture, which package experience reads;
// nil for none. They are a JSON object with the camera of the scene.
func Settings(ctx context.Context, c *Capture) ([]byte, error) {
	decoded := 0
	for _, span := range [][2]int64{{max(0, c.start-settingsReach), c.start}, {c.end, min(c.page.Size(), c.end+settingsReach)}} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text := make([]byte, span[1]-span[0])
		if err := folder.ReadFull(c.page, text, span[0]); err != nil {
			return nil, err
		}
		for _, found := range settingsStart.FindAllIndex(text, maxSettings) {
			if decoded++; decoded > maxSettings {
				return nil, nil
			}
			var settings json.RawMessage
			var camera struct{ Camera, Cameras json.RawMessage }
			rest := text[found[1]-1:]
			decoder := json.NewDecoder(bytes.NewReader(rest[:min(len(rest), maxSettingsBytes)]))
			if decoder.Decode(&settings) == nil && json.Unmarshal(settings, &camera) == nil && (camera.Camera != nil || camera.Cameras != nil) {
				return settings, nil
			}
		}
	}
	return nil, nil
}
