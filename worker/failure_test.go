package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"portico/model"
	"portico/splat"
	"portico/storage"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("store a.sog: %w", err) }
	for _, test := range []struct {
		name  string
		err   error
		want  failure
		final bool
	}{
		{"a bad archive", &splat.InputError{File: "a", Message: "is bad"}, failure{`"a" is bad`, slog.LevelInfo}, true},
		{"a bad archive, wrapped", wrap(&splat.InputError{Message: "Bad"}), failure{"Bad", slog.LevelInfo}, true},
		{"a refusal", wrap(model.Invalidf("No")), failure{"No", slog.LevelInfo}, true},
		{"over the quota", &model.Error{Code: model.CodeQuotaExceeded, Message: "Full"}, failure{"Full", slog.LevelInfo}, true},
		{"a full disk", wrap(storage.ErrFull), failure{"The server has no storage left for this file", slog.LevelError}, true},
		{"a lost object", wrap(storage.ErrNotFound), failure{"Uploaded file not found", slog.LevelError}, true},
		{"trouble of ours", errors.New("secret"), failure{"Internal server error", slog.LevelError}, false},
		{"trouble of ours in our words", &model.Error{Code: model.CodeInternal, Message: "secret"}, failure{"Internal server error", slog.LevelError}, false},
	} {
		got, final := classify(test.err)
		if got != test.want || final != test.final {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, got, final, test.want, test.final)
		}
	}
}

func TestFaultOf_names_the_upload_or_its_entry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key, stored, want string }{
		{"half.ply", "api_uploads/rd7k_half.ply", "rd7k_half.ply", `"half.ply" is cut short`},
		{"damaged.zip", "api_uploads/rd7k_damaged/scan.ply", "scan.ply", `"scan.ply" is cut short`},
	} {
		file := &model.File{Name: test.name, ResourceKey: test.key}
		if got := faultOf(&splat.InputError{File: test.stored, Message: "is cut short"}, file); got != test.want {
			t.Errorf("%s: got %s, want %s", test.key, got, test.want)
		}
	}
}
