package export

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"portico/model"
)

// archive writes a zip file by file, to a writer that may be a connection. It keeps the names and
// checksums of the files in memory, but not their content.
//
// The size of a file is not known before it is written, so entries have a data descriptor
// (APPNOTE.TXT section 4.3.9), and a large file is in the Zip64 format, which archive/zip chooses
// by itself.
type archive struct {
	zip   *zip.Writer
	parts []model.ExportedPart
	now   time.Time
}

// addFile adds a file with the content that write writes. It does not compress the content, because
// most of it is captures, which are already compressed.
func (a *archive) addFile(name string, write func(io.Writer) error) error {
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: a.now})
	if err != nil {
		return err
	}
	sum, counter := sha256.New(), &counter{}
	if err := write(io.MultiWriter(entry, sum, counter)); err != nil {
		return err
	}
	a.parts = append(a.parts, model.ExportedPart{Path: name, Size: counter.bytes, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (a *archive) addText(name string, content []byte) error {
	return a.addFile(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func (a *archive) addJSON(name string, value any) error {
	content, err := indentedJSON(value)
	if err != nil {
		return err
	}
	return a.addText(name, content)
}

// addList adds a file with a JSON list, whose values each yields one after the other.
func (a *archive) addList(name string, each func(yield func(any) error) error) error {
	return a.addFile(name, func(w io.Writer) error {
		separator := "[\n"
		err := each(func(value any) error {
			line, err := json.Marshal(value)
			if err != nil {
				return err
			}
			_, err = io.WriteString(w, separator+string(line))
			separator = ",\n"
			return err
		})
		if err != nil {
			return err
		}
		end := "\n]\n"
		if separator == "[\n" {
			end = "[]\n"
		}
		_, err = io.WriteString(w, end)
		return err
	})
}

// close adds the manifest. An archive without a manifest is incomplete.
//
// The manifest is the last entry and lists all others with their size and SHA-256, so a reader can
// tell a complete archive from one that was cut off.
func (a *archive) close(manifest model.AccountManifest) error {
	manifest.Files = a.parts
	content, err := indentedJSON(manifest)
	if err != nil {
		return err
	}
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: model.ExportManifest, Method: zip.Store, Modified: a.now})
	if err != nil {
		return err
	}
	if _, err := entry.Write(content); err != nil {
		return err
	}
	return a.zip.Close()
}

// indentedJSON returns a value as JSON that a person can read.
func indentedJSON(value any) ([]byte, error) {
	content, err := json.MarshalIndent(value, "", "  ")
	return append(content, '\n'), err
}

// counter counts what is written to it.
type counter struct{ bytes int64 }

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}
