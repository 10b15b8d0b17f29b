package worker

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"portico/model"
	"portico/storage"
)

// A result can be much larger than its owner's free storage.
func TestConversion_that_would_fill_the_disk_is_over_the_quota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.addFile(t, "scan.spz", strings.Repeat("s", 1<<20))
	w.user.Quota = 2 << 20
	if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
		t.Fatalf("update user: %v", err)
	}
	job := w.convert(t, source, model.ConvertToCSV)
	if err := w.attempt(t, w.idle(t, withScript("too large a file")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if got, want := w.job(t, job.ID).Error, "Storage quota exceeded: the converted file has more bytes than are free"; got != want {
		t.Errorf("error: got %q, want %q", got, want)
	}
	w.checkWorkedCleanly(t)
}

func TestConversion_of_a_file_that_was_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.addFile(t, "scan.spz", "sss")
	job := w.convert(t, source, model.ConvertToSOG)
	if _, err := w.db.Files().DeleteFile(t.Context(), source.ResourceKey); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if got, want := w.job(t, job.ID).Error, model.FileNotFound; got != want {
		t.Errorf("error: got %q, want %q", got, want)
	}
}

// beforeStat is a store elsewhere that calls a function of the test before it looks for an object.
type beforeStat struct {
	storage.Store
	call func()
}

// Stat implements storage.Store.
func (s beforeStat) Stat(ctx context.Context, key string) (storage.Object, error) {
	s.call()
	return s.Store.Stat(ctx, key)
}

// The job names the file that its owner knows, not an upload.
func TestConversion_of_a_file_whose_bytes_are_gone(t *testing.T) {
	t.Parallel()
	for name, isDeleted := range map[string]bool{"because its owner deleted it": true, "because the store lost them": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			source := w.addFile(t, "scan.spz", "sss")
			job := w.convert(t, source, model.ConvertToSOG)
			store := beforeStat{w.store, func() {
				err := w.store.Delete(t.Context(), source.StorageKey())
				if isDeleted && err == nil {
					_, err = w.db.Files().DeleteFile(t.Context(), source.ResourceKey)
				}
				if err != nil {
					t.Errorf("delete: %v", err)
				}
			}}
			var log bytes.Buffer
			worker := w.idle(t, withScript("good"), func(o *Options) {
				o.Store, o.Logger = store, slog.New(slog.NewTextHandler(&log, nil))
			})
			if err := w.attempt(t, worker, job); err != nil {
				t.Errorf("work: got %v, want nil: no other attempt helps", err)
			}
			if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != model.FileNotFound {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, model.FileNotFound)
			}
			if got, want := strings.Contains(log.String(), "level=ERROR"), !isDeleted; got != want {
				t.Errorf("logged as a fault of the server: got %t, want %t", got, want)
			}
		})
	}
}

func TestConversion_refuses_more_than_is_free(t *testing.T) {
	t.Parallel()
	const size = len("made of sss")
	for _, test := range []struct {
		quota int64
		want  string
	}{
		{int64(size) - 1, fmt.Sprintf("Storage quota exceeded: the converted file has %d bytes, 1 more than are free", size)},
		{int64(size), ""},
	} {
		w := newWorld(t)
		w.user.Quota = test.quota
		if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
			t.Fatalf("update user: %v", err)
		}
		job := w.submitTo(t, "scan.ply", "sss", model.ConvertToSOG)
		if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
			t.Fatalf("work: got %v, want nil", err)
		}
		if got := w.job(t, job.ID).Error; got != test.want {
			t.Errorf("quota of %d: got %q, want %q", test.quota, got, test.want)
		}
		if test.want != "" {
			w.checkNothingKept(t, job)
		}
	}
}
