package graph_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
	"portico/storage"
)

func TestCreateUpload_signs_the_address_and_reserves_the_size(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("My Model.GLB", 10))
	check(t, err)
	equal(t, "method", params.Method, "PUT")
	if len(params.Headers) != 1 || params.Headers[0] != (model.Header{Name: "Content-Type", Value: "model/gltf-binary"}) {
		t.Errorf("headers: got %v, want the content type", params.Headers)
	}
	address, query, _ := strings.Cut(params.URL, "?")
	prefix := "https://portico.example/files/" + w.alice.id + "/api_uploads/"
	if !strings.HasPrefix(address, prefix) || !strings.HasSuffix(address, "_My_Model.GLB") || query == "" {
		t.Errorf("URL: got %q, want %s{token}_My_Model.GLB?{signature}", params.URL, prefix)
	}
	if left := time.Until(params.ExpiresAt.Time); left > 15*time.Minute || left < 14*time.Minute {
		t.Errorf("expiry: got in %v, want in 15 minutes", left)
	}
	equal(t, "reserved", w.storage(w.alice).Reserved, 10)
}

// TestCreateUpload_refuses has a row for each rule of uploads.
func TestCreateUpload_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name    string
		in      model.CreateUpload
		code    model.Code
		message string
	}{
		{"no name", createUpload("", 1), model.CodeInvalid, "file_name is required"},
		{"a name with a NUL", createUpload("a\x00.glb", 1), model.CodeInvalid, "file_name must not contain a NUL character"},
		{"a long name", createUpload(strings.Repeat("a", 256)+".glb", 1), model.CodeInvalid, "file_name must have at most 255 characters"},
		{"no bytes", createUpload("a.glb", 0), model.CodeInvalid, "file_size must be a whole number of bytes, at least 1"},
		{"negative bytes", createUpload("a.glb", -1), model.CodeInvalid, "file_size must be a whole number of bytes, at least 1"},
		{"no type", model.CreateUpload{FileName: "a.glb", FileSize: 1}, model.CodeInvalid, "content_type is required"},
		{"an invalid media type", model.CreateUpload{FileName: "a.glb", FileSize: 1, ContentType: "glb"}, model.CodeInvalid, "content_type must be a media type such as application/zip"},
		{"a header in the type", model.CreateUpload{FileName: "a.glb", FileSize: 1, ContentType: "a/b\r\nX: y"}, model.CodeInvalid, "content_type must be a media type such as application/zip"},
		{"another format", createUpload("a.exe", 1), model.CodeInvalid, ""},
		{"no format", createUpload("glb", 1), model.CodeInvalid, ""},
		{"the largest file", createUpload("a.glb", testMaxFile), "", ""},
		{"one byte more", createUpload("a.glb", testMaxFile+1), model.CodeTooLarge, "file_size is over the maximum of 5000 bytes"},
		{"a large file of another format", createUpload("a.exe", testMaxFile+1), model.CodeInvalid, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Mutation().CreateUpload(w.bob.ctx, test.in)
			checkError(t, err, test.code, test.message)
		})
	}
}

func TestCreateUpload_accepts_formats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, format := range strings.Fields("ply glb gltf spz splat ksplat sog zip jpg jpeg png gif webp mjs path json bin mp3 ogg wav mp4 webm GLB") {
		_, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("a."+format, 1))
		if err != nil {
			t.Errorf("a.%s: got %v, want it accepted", format, err)
		}
	}
	w.options.Settings.Formats = []string{"xyz"}
	w.assemble()
	_, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("a.glb", 1))
	checkError(t, err, model.CodeInvalid, "file_name must end in one of .xyz")
}

func TestCreateUpload_refuses_more_than_the_quota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	create := func(size int64) error {
		_, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("a.glb", size))
		return err
	}
	first := w.upload(w.alice, "a.glb", 4000)
	if _, err := w.complete(w.alice, first); err != nil {
		t.Fatal(err)
	}
	check(t, create(5000)) // 4000 used, 5000 reserved
	checkError(t, create(1001), model.CodeQuotaExceeded, "Storage quota exceeded")
	check(t, create(1000)) // to the last byte
	checkError(t, create(1), model.CodeQuotaExceeded, "Storage quota exceeded")
	_, err := w.Mutation().CreateUpload(w.bob.ctx, createUpload("a.glb", 5000))
	checkError(t, err, "", "") // each has storage of their own
	w.exec("UPDATE uploads SET expires_at = now() - interval '1 second' WHERE size = 5000")
	check(t, create(5000)) // what was reserved for an expired upload is free
	checkError(t, create(1), model.CodeQuotaExceeded, "Storage quota exceeded")
}

func TestQuota_holds_for_concurrent_uploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("UPDATE users SET quota = 9999 WHERE id = $1", w.alice.id)
	for range 5 { // the first round only opens the connections
		var accepted int
		for _, err := range atOnce(8, func() error {
			_, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("a.glb", 5000))
			return err
		}) {
			if err == nil {
				accepted++
				continue
			}
			checkError(t, err, model.CodeQuotaExceeded, "Storage quota exceeded")
		}
		equal(t, "uploads of 5000 bytes in 9999", accepted, 1)
		equal(t, "reserved", w.storage(w.alice).Reserved, 5000)
		w.exec("DELETE FROM uploads")
	}
}

// atOnce calls a function several times at the same time.
func atOnce(n int, call func() error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			<-start
			errs[i] = call()
		})
	}
	close(start)
	calls.Wait()
	return errs
}

func TestCompleteUpload_frees_the_storage_of_a_failed_upload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	discard := func(address, status string) error {
		got, err := w.Mutation().CompleteUpload(w.alice.ctx, model.CompleteUpload{Status: status, FileURL: address})
		if err == nil && got != nil {
			t.Errorf("discard: got %v, want no confirmation", got)
		}
		return err
	}
	address := w.upload(w.alice, "a.glb", 4000)
	equal(t, "reserved", w.storage(w.alice).Reserved, 4000)
	check(t, discard(address, "failed"))
	equal(t, "reserved after the discard", w.storage(w.alice).Reserved, 0)
	key, _ := w.store.KeyOf(address)
	if _, err := w.store.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the discarded object: got %v, want it removed", err)
	}
	check(t, discard(address, "aborted")) // the same again

	again := w.reserved(w.alice, "c.glb", 10)
	for _, err := range atOnce(10, func() error { return discard(again, "failed") }) {
		checkError(t, err, "", "")
	}
}

// A size of more than 64 bits is too large, as any other large size. The parser refuses such a
// number in the document itself.
func TestCreateUpload_refuses_sizes_of_any_length(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const variable = `mutation($n: Int64!) { createUpload(input: {fileName: "a.ply", contentType: "a/b", fileSize: $n}) { upload { url } } }`
	for size, want := range map[string]string{
		"9223372036854775807": "TOO_LARGE", "9223372036854775808": "TOO_LARGE", "99999999999999999999": "TOO_LARGE", "0": "INVALID",
	} {
		code, _ := w.refused(w.alice, request(variable, map[string]any{"n": json.Number(size)}))
		equal(t, "code of the variable "+size, code, want)
	}
	const literal = `mutation { createUpload(input: {fileName: "a.ply", contentType: "a/b", fileSize: 9223372036854775808}) { upload { url } } }`
	code, _ := w.refused(w.alice, request(literal, nil))
	equal(t, "code of a literal", code, "GRAPHQL_VALIDATION_FAILED")
}
