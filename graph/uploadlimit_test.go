package graph_test

import (
	"testing"

	"portico/model"
)

func TestUploadLimit_refuses_what_CreateUpload_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                     string
		maxFileSize, quota, size int64
		code                     model.Code
	}{
		{"the maximum file size", 50, 200, 50, ""},
		{"a larger file", 50, 200, 51, model.CodeTooLarge},
		{"all free storage", 1000, 200, 200, ""},
		{"more than the free storage", 1000, 200, 201, model.CodeQuotaExceeded},
		{"more than both", 300, 200, 301, model.CodeTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.exec("UPDATE users SET quota = $2 WHERE id = $1", w.alice.id, test.quota)
			w.options.Settings.MaxFileSize = test.maxFileSize
			w.assemble()
			limit, err := w.UploadLimit(w.alice.ctx)
			check(t, err)
			if got, want := limit.Bytes(), min(test.maxFileSize, test.quota); got != want {
				t.Errorf("bytes: got %d, want %d", got, want)
			}
			if err := limit.Check(test.size); model.CodeOf(err) != test.code {
				t.Errorf("check: got %v, want %q", err, test.code)
			}
			_, err = w.Mutation().CreateUpload(w.alice.ctx, model.CreateUpload{
				FileName: "a.ply", FileSize: model.FileSize(test.size), ContentType: "model/ply",
			})
			if model.CodeOf(err) != test.code {
				t.Errorf("CreateUpload: got %v, want %q", err, test.code)
			}
		})
	}
}
