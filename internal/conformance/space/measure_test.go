package space_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/splat/scenery"
)

// preparationLimit limits the wait for the view and the collision of tens of millions of
// Gaussians on a busy machine.
const preparationLimit = 20 * time.Minute

// TestMeasure measures visits to captures of the numbers of Gaussians that SPACE_MEASURE
// lists, such as 2000000,10000000. It prints the first picture, frame times and memory.
func TestMeasure(t *testing.T) {
	t.Parallel()
	counts := os.Getenv("SPACE_MEASURE")
	if counts == "" {
		t.Skip("SPACE_MEASURE lists no numbers of Gaussians")
	}
	s := newSite(t)
	for _, text := range strings.Split(counts, ",") {
		count, err := strconv.Atoi(text)
		check(t, err)
		key := s.uploadScenery(fmt.Sprintf("garden-%d.ply", count), count)
		api.EventuallyWithin(t, preparationLimit, "the garden is prepared", func() bool { return s.isPrepared(key) })
		view := scenery.Views()[0]
		s.visit(t, "measure.mjs", map[string]any{
			"space": s.newSpace("Garden", "infinite", key), "gaussians": count, "eye": view.Eye, "yaw": view.Yaw, "pitch": view.Pitch,
		})
	}
}

// uploadScenery uploads a capture of a garden and returns its resource key.
func (s site) uploadScenery(name string, count int) string {
	s.T.Helper()
	path := filepath.Join(s.T.TempDir(), name)
	file, err := os.Create(path)
	check(s.T, err)
	check(s.T, scenery.WritePLY(file, count))
	size, err := file.Seek(0, io.SeekEnd)
	check(s.T, err)
	check(s.T, file.Close())
	return s.confirm(name, api.Content{Size: size, Source: localFile(path)})
}

// localFile is the path of a file to upload.
type localFile string

// WriteTo implements io.WriterTo.
func (f localFile) WriteTo(w io.Writer) (int64, error) {
	file, err := os.Open(string(f))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(w, file)
}
