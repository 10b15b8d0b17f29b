package disk

import (
	"io"
	"testing"
	"time"

	"portico/model"
)

// A part that arrives slowly is counted while it arrives, so that a process that is killed loses
// about a second of it.
func TestAppendPart_counts_a_slow_part_while_it_arrives(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil).Store
	part := model.UploadPart{Number: 1, Size: 1 << 20}
	check(t, d.StartParts(t.Context(), "1/hall"))
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := d.AppendPart(t.Context(), "1/hall", part, 0, r)
		ended <- err
	}()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	var sent int64
	for appended := int64(0); appended == 0; {
		<-ticker.C
		n, err := w.Write([]byte("some bytes"))
		check(t, err)
		if sent += int64(n); sent > part.Size/2 {
			t.Fatalf("appended: got 0 of %d bytes, want some", sent)
		}
		appended, err = d.AppendedPart(t.Context(), "1/hall", part)
		check(t, err)
	}
	check(t, w.Close())
	check(t, <-ended)
	if got, err := d.AppendedPart(t.Context(), "1/hall", part); err != nil || got != sent {
		t.Errorf("appended: got %d and %v, want %d", got, err, sent)
	}
}
