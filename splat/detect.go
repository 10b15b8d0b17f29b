package splat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"portico/splat/folder"
	"portico/splat/html"
	"portico/splat/input"
	"portico/splat/ksplat"
)

// headBytes is how many bytes of a file detect reads: more than the longest signature has.
const headBytes = 16

// detect returns the format of a file. It recognises manifests by their name, as
// viewers do, and all other files by their first bytes.
func detect(ctx context.Context, files folder.Reader, name string) (Format, error) {
	if format, ok := formatByName(path.Base(name)); ok {
		return format, nil
	}
	file, err := files.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	head := make([]byte, headBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	extension := strings.ToLower(path.Ext(name))
	if extension == ".html" || extension == ".htm" {
		return detectHTML(ctx, file)
	}
	format, ok := formatByContent(head[:n], extension)
	// A .ksplat that was renamed has a header, whose sections fill the file exactly. No .splat has.
	if format == FormatSplat {
		if _, err := ksplat.Open(file, name); err == nil {
			return FormatKSplat, nil
		} else if _, isFault := errors.AsType[*input.Error](err); !isFault {
			return "", err
		}
	}
	if expected := expectedFormat(extension); !ok && expected != "" {
		return "", input.Errorf(name, "is not %s, although its name ends in %s", expected, extension).
			Advise("Export it again, or rename it to what it is")
	}
	return format, nil
}

// detectHTML returns FormatHTML for a page with a capture, and FormatOther for other pages.
func detectHTML(ctx context.Context, file folder.File) (Format, error) {
	found, err := html.Find(ctx, file)
	if err != nil || found == nil {
		return FormatOther, err
	}
	return FormatHTML, nil
}

// formatByName returns the format of a manifest. Manifests are JSON, which has no signature. A
// manifest with wrong content is a damaged file and not a file of another format.
func formatByName(base string) (Format, bool) {
	switch {
	case input.HasExtension(base, ".lcc"):
		return FormatLCC, true
	case input.HasExtension(base, ".lcc2"):
		return FormatLCC2, true
	case base == StreamedSOGName:
		return FormatStreamedSOG, true
	case base == "meta.json":
		return FormatSOG, true
	case input.HasExtension(base, ".gltf"):
		return FormatGLTF, true
	}
	return FormatOther, false
}

// formatByContent returns the format of a file by its first bytes. The name is not trusted,
// because users rename files that they do not understand. A zip and a gzip file may contain
// anything, so for these the extension, which is in lower case, must also agree.
func formatByContent(head []byte, extension string) (Format, bool) {
	startsWith := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case startsWith("ply\n"), startsWith("ply\r"):
		return FormatPLY, true
	case startsWith("glTF"):
		return FormatGLB, true
	// SPZ version 4 has a signature; older versions are one gzip stream.
	case startsWith("NGSP"), startsWith("\x1f\x8b") && extension == ".spz":
		return FormatSPZ, true
	case startsWith("PK\x03\x04") && extension == ".sog":
		return FormatSOG, true
	case startsWith("\xff\xd8\xff"):
		return FormatJPEG, true
	case startsWith("\x89PNG\r\n\x1a\n"):
		return FormatPNG, true
	case startsWith("GIF87a"), startsWith("GIF89a"):
		return FormatGIF, true
	case startsWith("RIFF") && bytes.HasSuffix(head[:min(len(head), 12)], []byte("WEBP")):
		return FormatWebP, true
	// These two formats have no signature. Their readers refuse most files of other formats.
	case extension == ".splat":
		return FormatSplat, true
	case extension == ".ksplat":
		return FormatKSplat, true
	}
	return FormatOther, false
}

// expectedFormat returns the name, with its article, of the format that a file with the
// extension must have, or "" if the extension requires none. A file with another content is
// damaged or cut off, and FormatOther would hide this from its owner.
func expectedFormat(extension string) string {
	switch extension {
	case ".ply":
		return "a PLY file"
	case ".spz":
		return "an SPZ file"
	case ".sog":
		return "a SOG bundle"
	case ".glb":
		return "a binary glTF file"
	case ".jpg", ".jpeg", ".png", ".gif", ".webp":
		return "an image that can be read"
	}
	return ""
}
