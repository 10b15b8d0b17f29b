package takeaway

import (
	"archive/zip"
	"context"
	"io"
	"strings"
	"time"
)

// leftOutName is the file of a zip that names what was left out.
const leftOutName = "left-out.txt"

// WriteZip writes the space as a zip. Its files are not compressed, because captures already are. An error
// after the first byte leaves a zip without its end.
func (s *Space) WriteZip(ctx context.Context, w io.Writer) error {
	folder := zipFolder{zip.NewWriter(w), time.Now()}
	leftOut, err := s.Write(ctx, folder)
	if err == nil && len(leftOut) > 0 {
		err = folder.WriteNew(leftOutName, strings.NewReader(strings.Join(leftOut, "\n")+"\n"))
	}
	if err != nil {
		return err
	}
	return folder.archive.Close()
}

// zipFolder is a zip to which a space is written.
type zipFolder struct {
	archive *zip.Writer
	now     time.Time
}

// WriteNew implements preview.Folder.
func (z zipFolder) WriteNew(name string, content io.Reader) error {
	entry, err := z.archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: z.now})
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, content)
	return err
}
