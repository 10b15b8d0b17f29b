package storagetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"portico/storage"
)

func testDelete(t *testing.T, s storage.Store) {
	Put(t, s, "1/a.ply", "a")
	Put(t, s, "1/b.ply", "b")
	for range 2 {
		if err := s.Delete(t.Context(), "1/a.ply"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if got, want := Keys(t, s, ""), []string{"1/b.ply"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func testDeletePrefix(t *testing.T, s storage.Store) {
	for _, key := range []string{"1/room.zip", "1/room/0.sog", "1/room/data/1.sog", "1/rooms/2.sog", "2/room/3.sog"} {
		Put(t, s, key, key)
	}
	for _, prefix := range []string{"1/room", "1/room", "1/rooms/", "1/room.zip", "1/ro", "3"} {
		if err := s.DeletePrefix(t.Context(), prefix); err != nil {
			t.Errorf("DeletePrefix(%q): %v", prefix, err)
		}
	}
	if got, want := Keys(t, s, ""), []string{"1/room.zip", "2/room/3.sog"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func testList(t *testing.T, s storage.Store) {
	for _, key := range []string{"1/b/2.sog", "1/b/10.sog", "1/b.zip", "1/b-c/0.sog", "1/a.ply", "2/a.ply"} {
		Put(t, s, key, key)
	}
	tests := []struct {
		prefix string
		want   []string
	}{
		{"", []string{"1/a.ply", "1/b-c/0.sog", "1/b.zip", "1/b/10.sog", "1/b/2.sog", "2/a.ply"}},
		{"1/b", []string{"1/b/10.sog", "1/b/2.sog"}},
		{"1/b/", []string{"1/b/10.sog", "1/b/2.sog"}},
		{"1/b.zip", nil},
		{"3", nil},
	}
	for _, tt := range tests {
		if got := Keys(t, s, tt.prefix); !slices.Equal(got, tt.want) {
			t.Errorf("List(%q) = %q, want %q", tt.prefix, got, tt.want)
		}
	}
	for listed := range s.List(t.Context(), "1/b") {
		if object, err := s.Stat(t.Context(), listed.Key); err != nil || object != listed {
			t.Errorf("Stat = %+v, %v, want what is listed: %+v", object, err, listed)
		}
	}
}

func testListStops(t *testing.T, s storage.Store) {
	Put(t, s, "1/a/0.sog", "0")
	Put(t, s, "1/b/1.sog", "1")
	seen := 0
	for range s.List(t.Context(), "1") {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("seen %d objects after a break, want 1", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var failures []error
	for _, err := range s.List(ctx, "1") {
		failures = append(failures, err)
	}
	if len(failures) != 1 || !errors.Is(failures[0], context.Canceled) {
		t.Errorf("List when canceled yields %v, want context.Canceled once", failures)
	}
}
