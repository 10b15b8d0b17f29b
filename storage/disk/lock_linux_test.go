package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"portico/model"
	"portico/storage"
)

// copyingReader returns its text, and copies the descriptors of the open files in a folder, as
// the start of a process does.
type copyingReader struct {
	io.Reader
	t      *testing.T
	folder string
	copies []int
}

// Read implements io.Reader.
func (r *copyingReader) Read(p []byte) (int, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	check(r.t, err)
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil || !strings.HasPrefix(target, r.folder) {
			continue
		}
		number, err := strconv.Atoi(entry.Name())
		check(r.t, err)
		descriptor, err := syscall.Dup(number)
		check(r.t, err)
		r.copies = append(r.copies, descriptor)
	}
	return r.Reader.Read(p)
}

// A process that is being started has a copy of every open file until it runs its program. An
// upload whose last piece was stored meanwhile can be completed at once.
func TestAssemble_while_a_process_starts(t *testing.T) {
	t.Parallel()
	parts := []model.UploadPart{{Number: 1, Size: 4}}
	for name, steps := range map[string]struct {
		add      func(d *Store, r io.Reader) error
		assemble func(d *Store) error
	}{
		"in order": {
			func(d *Store, r io.Reader) error { _, err := d.Append(t.Context(), "1/hall", 0, r); return err },
			func(d *Store) error { return d.Assemble(t.Context(), "1/hall", 4) },
		},
		"in parts": {
			func(d *Store, r io.Reader) error {
				check(t, d.StartParts(t.Context(), "1/hall"))
				_, err := d.AppendPart(t.Context(), "1/hall", parts[0], 0, r)
				return err
			},
			func(d *Store) error { return d.AssembleParts(t.Context(), "1/hall", parts) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t, nil)
			r := &copyingReader{Reader: strings.NewReader("hall"), t: t, folder: filepath.Join(s.dir, partialFolder)}
			check(t, steps.add(s.Store, r))
			if len(r.copies) == 0 {
				t.Fatal("copies: got none, want one of the file that is locked")
			}
			if err := steps.assemble(s.Store); err != nil {
				t.Errorf("assemble: got %v, want an object", err)
			}
			for _, descriptor := range r.copies {
				check(t, syscall.Close(descriptor))
			}
		})
	}
}

// A call that comes while another one assembles the parts returns as if they were still arriving.
func TestAssembleParts_while_another_call_assembles(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil).Store
	parts := []model.UploadPart{{Number: 1, Size: 4}}
	check(t, d.StartParts(t.Context(), "1/hall"))
	_, err := d.AppendPart(t.Context(), "1/hall", parts[0], 0, strings.NewReader("room"))
	check(t, err)
	other, _, err := d.openPartial("1/hall", 0)
	check(t, err)
	if err := d.AssembleParts(t.Context(), "1/hall", parts); !errors.Is(err, storage.ErrIncomplete) {
		t.Errorf("AssembleParts: got %v, want %v", err, storage.ErrIncomplete)
	}
	check(t, closeAndUnlock(other.file))
	check(t, d.AssembleParts(t.Context(), "1/hall", parts))
}
