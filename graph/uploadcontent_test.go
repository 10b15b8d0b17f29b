package graph_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"portico/graph"
	"portico/model"
	"portico/storage"
)

func stored(name, content string) (model.CreateUpload, io.Reader) {
	return model.CreateUpload{FileName: name, FileSize: model.FileSize(len(content))}, strings.NewReader(content)
}

func TestStoreUpload_makes_a_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, content := stored("scene.json", `{"a":1}`)
	confirmation, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
	file := confirmation.File
	if file == nil || confirmation.Job != nil {
		t.Fatalf("confirmation: got %+v, want a file", confirmation)
	}
	equal(t, "content type", file.ContentType, "application/json")
	equal(t, "size", file.Size, 7)
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 7, Quota: testQuota})
	reader, err := w.store.Open(t.Context(), file.StorageKey())
	check(t, err)
	defer func() { check(t, reader.Close()) }()
	got, err := io.ReadAll(reader)
	check(t, err)
	equal(t, "bytes", string(got), `{"a":1}`)
}

// The limit of one request to the store is not a limit of what the server stores itself.
func TestStoreUpload_stores_more_than_a_presigned_PUT_can_send(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Settings.MaxPutSize = 2
	w.assemble()
	in, content := stored("scene.json", `{"a":1}`)
	in.ContentType = "application/json"
	_, err := w.Mutation().CreateUpload(w.alice.ctx, in)
	checkError(t, err, model.CodeTooLarge, "file_size is over the maximum of 2 bytes of one request: use a resumable upload")
	confirmation, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
	equal(t, "size", confirmation.File.Size, 7)
}

func TestStoreUpload_starts_a_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name, content string
		kind          model.JobType
	}{
		{"scene.zip", "PK", model.JobZip},
		{"large.glb", strings.Repeat("g", testThreshold+1), model.JobFile},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in, content := stored(test.name, test.content)
			confirmation, err := w.StoreUpload(w.alice.ctx, in, content)
			check(t, err)
			if confirmation.Job == nil || confirmation.File != nil {
				t.Fatalf("confirmation: got %+v, want a job", confirmation)
			}
			equal(t, "type", confirmation.Job.Type, test.kind)
		})
	}
}

func TestStoreUpload_keeps_the_type_that_is_given(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, content := stored("scene.glb", "glb")
	in.ContentType = "model/vnd.example"
	confirmation, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
	equal(t, "content type", confirmation.File.ContentType, "model/vnd.example")
}

// TestStoreUpload_refuses has a row for each reason. No storage stays reserved.
func TestStoreUpload_refuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("the source broke")
	spoken := model.Invalidf("The source answered 404")
	for _, test := range []struct {
		name    string
		in      model.CreateUpload
		content io.Reader
		code    model.Code
		message string
	}{
		{"a format", model.CreateUpload{FileName: "a.exe", FileSize: 1}, strings.NewReader("x"), model.CodeInvalid, ""},
		{"no bytes", model.CreateUpload{FileName: "a.glb"}, strings.NewReader(""), model.CodeInvalid, ""},
		{"too large", model.CreateUpload{FileName: "a.glb", FileSize: testMaxFile + 1}, nil, model.CodeTooLarge, ""},
		{"fewer bytes", model.CreateUpload{FileName: "a.glb", FileSize: 3}, strings.NewReader("ab"), model.CodeInvalid, graph.ErrContentSize.Message},
		{"more bytes", model.CreateUpload{FileName: "a.glb", FileSize: 3}, strings.NewReader("abcd"), model.CodeInvalid, graph.ErrContentSize.Message},
		{"more bytes, one by one", model.CreateUpload{FileName: "a.glb", FileSize: 3}, iotest.OneByteReader(strings.NewReader("abcd")), model.CodeInvalid, graph.ErrContentSize.Message},
		{"a broken source", model.CreateUpload{FileName: "a.glb", FileSize: 3}, iotest.ErrReader(broken), model.CodeInternal, model.InternalMessage},
		{"a source with a word for the client", model.CreateUpload{FileName: "a.glb", FileSize: 3}, iotest.ErrReader(spoken), model.CodeInvalid, spoken.Message},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, err := w.StoreUpload(w.alice.ctx, test.in, test.content)
			checkError(t, err, test.code, test.message)
			equal(t, "storage", w.storage(w.alice), model.Storage{Quota: testQuota})
			for object, err := range w.store.List(t.Context(), "") {
				t.Errorf("store: got %+v, %v; want nothing", object, err)
			}
		})
	}
}

func TestStoreUpload_refuses_what_is_over_the_storage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("UPDATE users SET quota = 5")
	in, content := stored("a.glb", "123456")
	_, err := w.StoreUpload(w.alice.ctx, in, content)
	checkError(t, err, model.CodeQuotaExceeded, model.QuotaExceeded)
}

// slowStore calls slow when it has read the content, before it stores the last bytes.
type slowStore struct {
	storage.Store
	slow func(ctx context.Context)
}

func (s slowStore) Put(ctx context.Context, key string, content io.Reader) (int64, error) {
	all, err := io.ReadAll(content)
	if err != nil {
		return 0, err
	}
	s.slow(ctx)
	return s.Store.Put(ctx, key, bytes.NewReader(all))
}

// slowWorld is a world whose store calls slow during a Put, and extends reservations often.
func slowWorld(t *testing.T, slow func(ctx context.Context, w *world)) *world {
	w := newWorld(t)
	w.options.Settings.UploadTTL = 10 * time.Millisecond
	w.assemble()
	w.useStore(slowStore{w.store, func(ctx context.Context) { slow(ctx, w) }})
	return w
}

// waitForReservation returns when the storage of alice's upload is reserved.
func (w *world) waitForReservation() {
	w.t.Helper()
	eventually(w.t, "the storage is reserved", func() bool { return w.storage(w.alice).Reserved == 3 })
}

// An agent may download for longer than the storage of an upload is reserved, and a bucket may
// store the last bytes slowly.
func TestStoreUpload_keeps_the_storage_until_the_last_byte_is_stored(t *testing.T) {
	t.Parallel()
	w := slowWorld(t, func(_ context.Context, w *world) {
		w.exec("UPDATE uploads SET expires_at = now(), held_until = now()")
		w.waitForReservation()
	})
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
}

func TestStoreUpload_goes_on_while_the_database_restarts(t *testing.T) {
	t.Parallel()
	const failed, recovered = "extend the reservation of an upload", "the reservation of an upload is extended again"
	w := slowWorld(t, func(_ context.Context, w *world) {
		w.exec("ALTER TABLE uploads RENAME TO missing")
		eventually(t, "an extension fails", func() bool { return strings.Contains(w.log.String(), failed) })
		w.exec("ALTER TABLE missing RENAME TO uploads")
		eventually(t, "an extension succeeds", func() bool { return strings.Contains(w.log.String(), recovered) })
		w.waitForReservation()
	})
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
	equal(t, "logged failures", strings.Count(w.log.String(), failed), 1)
}

// What is discarded needs no more bytes.
func TestStoreUpload_ends_when_its_upload_is_discarded(t *testing.T) {
	t.Parallel()
	w := slowWorld(t, func(ctx context.Context, w *world) {
		w.exec("UPDATE uploads SET state = 'discarded'")
		select {
		case <-ctx.Done():
		case <-time.After(timeout):
			t.Error("StoreUpload still stores a discarded upload")
		}
	})
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(w.alice.ctx, in, content)
	checkError(t, err, model.CodeNotFound, model.UploadNotFound)
}

// The caller may have limited the time, and knows the text for the client.
func TestStoreUpload_returns_why_its_context_ended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reason := model.Invalidf("It took too long")
	ctx, end := context.WithCancelCause(w.alice.ctx)
	w.useStore(slowStore{w.store, func(context.Context) { end(reason) }})
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(ctx, in, content)
	checkError(t, err, reason.Code, reason.Message)
	equal(t, "storage", w.storage(w.alice), model.Storage{Quota: testQuota})
}

func TestStoreUpload_needs_a_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, content := stored("a.glb", "123")
	_, err := w.StoreUpload(t.Context(), in, content)
	checkError(t, err, model.CodeUnauthenticated, "")
}
