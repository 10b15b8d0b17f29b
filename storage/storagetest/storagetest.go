// Package storagetest has the test suite that every storage.Store passes, and what the tests of the
// stores share. Only tests may import it.
package storagetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portico/model"
	"portico/storage"
)

// Run runs the suite that every Store must pass. open returns an empty store whose
// presigned and public addresses can be reached.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	tests := map[string]func(t *testing.T, s storage.Store){
		"put and read":             testPutAndRead,
		"put replaces":             testPutReplaces,
		"put is whole or nothing":  testPutIsWholeOrNothing,
		"batch":                    testBatch,
		"read stays as opened":     testReadStaysAsOpened,
		"read ends with context":   testReadEndsWithContext,
		"zip by random access":     testZipByRandomAccess,
		"missing":                  testMissing,
		"invalid keys":             testInvalidKeys,
		"append":                   testAppend,
		"append and delete":        testAppendDeleted,
		"parts":                    testParts,
		"parts and delete":         testPartsDeleted,
		"whole parts":              testWholeParts,
		"delete":                   testDelete,
		"delete prefix":            testDeletePrefix,
		"list":                     testList,
		"list stops":               testListStops,
		"addresses":                testAddresses,
		"any script":               testAnyScript,
		"presigned upload":         testPresignedUpload,
		"presigned upload refused": testPresignedUploadRefused,
		"presign refuses":          testPresignRefuses,
		"inert types":              testInertTypes,
		"ping":                     testPing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// calls returns the methods that take one key.
func calls(ctx context.Context, s storage.Store) map[string]func(key string) error {
	return map[string]func(key string) error{
		"Stat":         func(key string) error { _, err := s.Stat(ctx, key); return err },
		"Open":         func(key string) error { _, err := s.Open(ctx, key); return err },
		"OpenReaderAt": func(key string) error { _, _, err := s.OpenReaderAt(ctx, key); return err },
		"Put":          func(key string) error { _, err := s.Put(ctx, key, strings.NewReader("")); return err },
		"Delete":       func(key string) error { return s.Delete(ctx, key) },
		"DeletePrefix": func(key string) error { return s.DeletePrefix(ctx, key) },
		"Append":       func(key string) error { _, err := s.Append(ctx, key, 0, strings.NewReader("")); return err },
		"Appended":     func(key string) error { _, err := s.Appended(ctx, key); return err },
		"Assemble":     func(key string) error { return s.Assemble(ctx, key, 1_000) },
		"AppendPart": func(key string) error {
			_, err := s.AppendPart(ctx, key, model.UploadPart{Size: 1}, 0, strings.NewReader(""))
			return err
		},
		"PutPart":       func(key string) error { return s.PutPart(ctx, key, model.UploadPart{}, strings.NewReader("")) },
		"AppendedPart":  func(key string) error { _, err := s.AppendedPart(ctx, key, model.UploadPart{}); return err },
		"AssembleParts": func(key string) error { return s.AssembleParts(ctx, key, []model.UploadPart{{Size: 1_000}}) },
		"StartParts":    func(key string) error { return s.StartParts(ctx, key) },
		"PresignPut": func(key string) error {
			_, err := s.PresignPut(ctx, storage.Upload{Key: key, ContentType: "a/b"})
			return err
		},
	}
}

func testMissing(t *testing.T, s storage.Store) {
	Put(t, s, "1/folder/a.ply", "a")
	for name, call := range calls(t.Context(), s) {
		for _, key := range []string{"2", "1/b.ply", "1/folder", "1/folder/a.ply/b", "1/folder/a"} {
			var want error
			switch name {
			case "Put", "PresignPut", "DeletePrefix", "Append", "Appended", "StartParts", "AppendedPart":
				continue
			case "Delete":
			default:
				want = storage.ErrNotFound
			}
			if err := call(key); !errors.Is(err, want) {
				t.Errorf("%s(%q): got %v, want %v", name, key, err, want)
			}
		}
	}
	if got, want := Content(t, s, "1/folder/a.ply"), "a"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

func testInvalidKeys(t *testing.T, s storage.Store) {
	for name, call := range calls(t.Context(), s) {
		for _, key := range []string{"", "/a", "..", "a/../b", "a//b", "a\\b", "a\x00b", "a/.", strings.Repeat("a", 256)} {
			if err := call(key); !errors.Is(err, storage.ErrInvalidKey) {
				t.Errorf("%s(%q): got %v, want ErrInvalidKey", name, key, err)
			}
		}
	}
	for _, err := range s.List(t.Context(), "../a") {
		if !errors.Is(err, storage.ErrInvalidKey) {
			t.Errorf("List: got %v, want ErrInvalidKey", err)
		}
	}
	if err := s.DeletePrefix(t.Context(), "/"); !errors.Is(err, storage.ErrInvalidKey) {
		t.Errorf("DeletePrefix of everything: got %v, want ErrInvalidKey", err)
	}
}

func testPing(t *testing.T, s storage.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if got := Keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want nothing left by Ping", got)
	}
}
