package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/input"
	"portico/splat/splattest"
)

// memory is a folder.Writer that remembers what it was given, in order.
type memory struct {
	names []string
	files map[string]string
}

// Put implements folder.Writer.
func (m *memory) Put(_ context.Context, name string, size int64, r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if int64(len(body)) != size {
		return fmt.Errorf("got %d bytes, want %d", len(body), size)
	}
	if m.files == nil {
		m.files = map[string]string{}
	}
	m.names = append(m.names, name)
	m.files[name] = string(body)
	return nil
}

// open opens a zip that is in memory.
func open(b []byte, limits archive.Limits) (*archive.Zip, error) {
	return archive.Open(bytes.NewReader(b), int64(len(b)), limits)
}

// unpack does with a zip what the worker does.
func unpack(t *testing.T, b []byte) (archive.Plan, *memory, error) {
	t.Helper()
	extracted := &memory{}
	a, err := open(b, archive.DefaultLimits())
	if err != nil {
		return archive.Plan{}, extracted, err
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		return plan, extracted, err
	}
	if plan.Kind == archive.KindWhole {
		return plan, extracted, a.Verify(t.Context(), nil)
	}
	return plan, extracted, a.Extract(t.Context(), plan, extracted, nil)
}

// files makes zip entries of names and contents.
func files(pairs ...string) []splattest.Entry {
	var entries []splattest.Entry
	for i := 0; i+1 < len(pairs); i += 2 {
		entries = append(entries, splattest.Entry{Name: pairs[i], Body: []byte(pairs[i+1])})
	}
	return entries
}

// wantInputError checks the fault that the user reads.
func wantInputError(t *testing.T, err error, entry, reason string) {
	t.Helper()
	input, ok := errors.AsType[*input.Error](err)
	if !ok {
		t.Fatalf("error: got %v, want an InputError with %q", err, reason)
	}
	if input.File != entry || !strings.Contains(input.Error(), reason) {
		t.Errorf("error: got %v (entry %q), want entry %q and %q", input, input.File, entry, reason)
	}
}

// tile is the content of a small .sog bundle.
const tile = splattest.BundleMagic + "the rest of the bundle"
