package splat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/splattest"
)

// memory is a sink that remembers what it was given, in order.
type memory struct {
	names []string
	files map[string]string
}

// Put implements splat.Sink.
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
func open(b []byte, limits splat.Limits) (*splat.Archive, error) {
	return splat.OpenArchive(bytes.NewReader(b), int64(len(b)), limits)
}

// unpack does with a zip what the worker does.
func unpack(t *testing.T, b []byte) (splat.Plan, *memory, error) {
	t.Helper()
	sink := &memory{}
	a, err := open(b, splat.DefaultLimits())
	if err != nil {
		return splat.Plan{}, sink, err
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		return plan, sink, err
	}
	if plan.Kind == splat.KindWhole {
		return plan, sink, a.Verify(t.Context(), nil)
	}
	return plan, sink, a.Extract(t.Context(), plan, sink, nil)
}

// files makes zip entries of names and contents.
func files(pairs ...string) []splattest.Entry {
	var entries []splattest.Entry
	for i := 0; i+1 < len(pairs); i += 2 {
		entries = append(entries, splattest.Entry{Name: pairs[i], Body: []byte(pairs[i+1])})
	}
	return entries
}

// wantInputError checks that the user is told of the fault.
func wantInputError(t *testing.T, err error, entry, reason string) {
	t.Helper()
	input, ok := errors.AsType[*splat.InputError](err)
	if !ok {
		t.Fatalf("error: got %v, want an InputError with %q", err, reason)
	}
	if input.Entry != entry || !strings.Contains(input.Error(), reason) {
		t.Errorf("error: got %v (entry %q), want entry %q and %q", input, input.Entry, entry, reason)
	}
}

// tile is the content of a small .sog bundle.
const tile = splattest.BundleMagic + "the rest of the bundle"
