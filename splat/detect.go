package splat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// detect tells the format: by the name where that is how viewers know it, as of
// manifests, else by the first bytes.
func detect(ctx context.Context, files folder.Reader, name string) (Format, error) {
	if format, ok := manifests(path.Base(name)); ok {
		return format, nil
	}
	file, err := files.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // read only
	// More than the longest mark below.
	head := make([]byte, 16)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	extension := strings.ToLower(path.Ext(name))
	format, ok := byContent(head[:n], extension)
	if claimed := claims(extension); !ok && claimed != "" {
		return "", input.Errorf(name, "is named %s and is %s", extension, claimed)
	}
	return format, nil
}

// manifests tells the formats that are known by the name of their manifest, which
// is JSON that begins in no way of its own. What is wrong inside is then a fault of
// the file, never another format.
func manifests(base string) (Format, bool) {
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

// byContent tells a format by its first bytes, whatever the file is called: people
// rename what they do not understand. Zip and gzip hold anything, so that there
// the extension, in lower case, must say the same.
func byContent(head []byte, extension string) (Format, bool) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("ply\n"), begins("ply\r"):
		return FormatPLY, true
	case begins("glTF"):
		return FormatGLB, true
	// Version 4 is marked by itself; those before it are one gzip stream.
	case begins("NGSP"), begins("\x1f\x8b") && extension == ".spz":
		return FormatSPZ, true
	case begins("PK\x03\x04") && extension == ".sog":
		return FormatSOG, true
	case begins("\xff\xd8\xff"):
		return FormatJPEG, true
	case begins("\x89PNG\r\n\x1a\n"):
		return FormatPNG, true
	case begins("GIF87a"), begins("GIF89a"):
		return FormatGIF, true
	case begins("RIFF") && bytes.HasSuffix(head[:min(len(head), 12)], []byte("WEBP")):
		return FormatWebP, true
	}
	return FormatOther, false
}

// claims returns what a file with the extension is when it is none of the formats
// that it could be, or "" where the extension promises nothing. Such a file is
// damaged or cut off: to take it for FormatOther would hide that from its owner.
func claims(extension string) string {
	switch extension {
	case ".ply":
		return "no PLY file"
	case ".spz":
		return "no SPZ file"
	case ".sog":
		return "no SOG bundle"
	case ".glb":
		return "no binary glTF"
	case ".jpg", ".jpeg", ".png", ".gif", ".webp":
		return "no image that is known"
	}
	return ""
}
