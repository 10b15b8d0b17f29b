package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/storage"
	"portico/storage/storagetest"
)

func TestStore_conforms(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storage.Store {
		t.Helper()
		return newTestServer(t, func(o *Options) { o.Now = time.Now })
	})
}

func TestOpen_refuses_wrong_options(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file)
	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"short secret", func(o *Options) { o.Secret = []byte("short") }, "needs 16"},
		{"no base", func(o *Options) { o.BaseURL = "" }, "not a plain http or https URL"},
		{"another scheme", func(o *Options) { o.BaseURL = "ftp://example.org" }, "not a plain http or https URL"},
		{"a user", func(o *Options) { o.BaseURL = "http://me@example.org" }, "not a plain http or https URL"},
		{"a query", func(o *Options) { o.FilesURL = "https://cdn.example.org/?a=b" }, "not a plain http or https URL"},
		{"no URL", func(o *Options) { o.FilesURL = "https://exa mple.org" }, "parse address"},
		{"a file for a folder", func(o *Options) { o.Folder = file }, "not a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{Folder: t.TempDir(), BaseURL: "https://example.org", Secret: make([]byte, 16)}
			tt.change(&o)
			d, err := Open(o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, %v, want an error with %q", d, err, tt.want)
			}
		})
	}
}

func TestStore_keeps_objects_over_a_restart(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	storagetest.Put(t, s, "1/room.ply", "ply")
	again := openStore(t, s.options())
	if got, want := storagetest.Content(t, again, "1/room.ply"), "ply"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

func TestOpen_removes_what_crashes_left(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	writeFile(t, filepath.Join(s.dir, incomingFolder, "LEFTOVER"))
	openStore(t, s.options())
	if got := s.incomingFiles(t); len(got) != 0 {
		t.Errorf("incoming = %q, want nothing", got)
	}
}

// Serve and worker processes share a folder: the start of one must not remove the files
// that the other is writing.
func TestOpen_keeps_files_that_are_being_written(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	r, w := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := s.Put(t.Context(), "1/slow.ply", r)
		done <- err
	}()
	mustWrite(t, w, "half, ")
	openStore(t, s.options())
	mustWrite(t, w, "whole")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatalf("Put: %v", err)
	}
	if got, want := storagetest.Content(t, s, "1/slow.ply"), "half, whole"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

func mustWrite(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_does_not_disturb_writers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	stop := make(chan struct{})
	var cleaning sync.WaitGroup
	cleaning.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.cleanIncoming(); err != nil {
				t.Errorf("cleanIncoming: %v", err)
			}
		}
	})
	for range 50 {
		storagetest.Put(t, s, "1/busy.ply", "busy")
	}
	close(stop)
	cleaning.Wait()
}

func TestLeftovers_are_found_by_age_without_locks(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	for age, want := range map[time.Duration]bool{time.Hour: false, 25 * time.Hour: true} {
		in, err := s.newIncoming()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.root.Chtimes(in.name, s.now, s.now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.isStale(in.file); got != want || err != nil {
			t.Errorf("isStale after %v = %v, %v, want %v", age, got, err, want)
		}
		in.discard()
	}
}

func TestStore_does_not_follow_links_out(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "secret.json"))
	for link, target := range map[string]string{"file.json": outside + "/secret.json", "folder": outside} {
		if err := os.Symlink(target, filepath.Join(s.dir, objectsFolder, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for _, key := range []string{"file.json", "folder", "folder/secret.json"} {
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Stat(%q): got %v, want ErrNotFound", key, err)
		}
		if _, err := s.Open(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Open(%q): got %v, want ErrNotFound", key, err)
		}
		if res, _ := storagetest.Get(t, s.PublicURL(key), nil); res.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: got %d, want 404", key, res.StatusCode)
		}
	}
	if got := storagetest.Keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want no links", got)
	}
	if _, err := s.Put(t.Context(), "folder/new.json", strings.NewReader("{}")); err == nil {
		t.Error("Put through a link out: got no error")
	}
	if err := s.DeletePrefix(t.Context(), "folder"); err != nil {
		t.Errorf("DeletePrefix: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "secret.json")); err != nil {
		t.Errorf("the file outside: %v", err)
	}
}

func TestPing_fails_if_nothing_can_be_written(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	if err := os.RemoveAll(filepath.Join(s.dir, incomingFolder)); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Ping: got %v, want fs.ErrNotExist", err)
	}
}

func TestStore_that_is_closed_is_not_empty(t *testing.T) {
	t.Parallel()
	d, err := Open(Options{Folder: t.TempDir(), BaseURL: "http://example.org", Secret: make([]byte, 16)})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Stat(context.Background(), "1/a.ply"); err == nil || errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Stat: got %v, want another error than ErrNotFound", err)
	}
}

func TestDeletions_leave_no_empty_folder(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	storagetest.Put(t, s, "1/a/b/c.ply", "c")
	storagetest.Put(t, s, "2/a/b/c.ply", "c")
	if err := s.Delete(t.Context(), "1/a/b/c.ply"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePrefix(t.Context(), "2/a/b"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(s.dir, objectsFolder))
	if err != nil || len(left) != 0 {
		t.Errorf("folders = %v, %v, want none", left, err)
	}
	storagetest.Put(t, s, "1/a", "a file where a folder was")
}

// A request may append while another one confirms the upload. Nothing would remove an empty file.
func TestAppend_at_another_offset_creates_no_file(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	if n, err := s.Append(t.Context(), "1/room.ply", 4, strings.NewReader("room")); n != 0 || !errors.Is(err, storage.ErrOffset) {
		t.Errorf("Append to no bytes: got %d, %v, want ErrOffset", n, err)
	}
	left, err := os.ReadDir(filepath.Join(s.dir, partialFolder))
	if err != nil || len(left) != 0 {
		t.Errorf("files of pieces: got %v, %v, want none", left, err)
	}
}

// Put creates folders while Delete removes empty ones.
func TestConcurrent_Put_and_Delete_lose_nothing(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	var busy sync.WaitGroup
	for _, key := range []string{"1/x/a.ply", "1/x/b.ply"} {
		busy.Go(func() {
			for range 50 {
				storagetest.Put(t, s, key, key)
				if got := storagetest.Content(t, s, key); got != key {
					t.Errorf("content(%q) = %q", key, got)
				}
				if err := s.Delete(t.Context(), key); err != nil {
					t.Errorf("Delete(%q): %v", key, err)
				}
			}
		})
	}
	busy.Wait()
}

func TestETags_of_quick_replacements_differ(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	seen := map[string]bool{}
	for _, text := range []string{"one", "two", "six"} {
		storagetest.Put(t, s, "1/a.json", text)
		object, err := s.Stat(t.Context(), "1/a.json")
		if err != nil || seen[object.ETag] {
			t.Errorf("ETag of %q = %s, %v, want a new one", text, object.ETag, err)
		}
		seen[object.ETag] = true
	}
}
