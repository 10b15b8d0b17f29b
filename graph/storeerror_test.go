package graph_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"portico/model"
	"portico/storage"
)

// fullStore is a store that has no room for another byte.
type fullStore struct{ storage.Store }

var errNoRoom = fmt.Errorf("put object: %w", storage.ErrFull)

func (fullStore) Put(context.Context, string, io.Reader) (int64, error) { return 0, errNoRoom }

func (fullStore) Append(context.Context, string, int64, io.Reader) (int64, error) {
	return 0, errNoRoom
}

func (fullStore) Assemble(context.Context, string, int64) error { return errNoRoom }

func (fullStore) StartParts(context.Context, string) error { return errNoRoom }

// applyChanges applies a change set of alice.
func (w *world) applyChanges(in model.ChangeSet) error {
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, in)
	return err
}

// TestFullStore_is_refused has a row for each resolver that stores bytes. prepare is called while
// the store has room.
func TestFullStore_is_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(w *world) (request func() error)
	}{
		{"in a change set", func(w *world) func() error {
			in := model.ChangeSet{
				SpaceID: w.space(w.alice, model.SpaceInfinite).ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
			}
			return func() error { return w.applyChanges(in) }
		}},
		{"in an upload that the server stores itself", func(w *world) func() error {
			return func() error {
				in, content := stored("a.glb", "123")
				_, err := w.StoreUpload(w.alice.ctx, in, content)
				return err
			}
		}},
		{"at the start of parts", func(w *world) func() error {
			w.options.Settings.MaxFileSize = 1 << 30
			w.assemble()
			w.makeRoom()
			in := createUpload("a.glb", 2*model.UploadPartUnit)
			in.Resumable, in.Parts = true, 2
			return func() error {
				_, err := w.Mutation().CreateUpload(w.alice.ctx, in)
				return err
			}
		}},
		{"in a piece of an upload", func(w *world) func() error {
			upload := w.receiving()
			return func() error {
				_, err := w.AppendUpload(w.alice.ctx, upload, 0, strings.NewReader("abc"))
				return err
			}
		}},
		{"in the confirmation of a resumable upload", func(w *world) func() error {
			address := w.ResumableURL(w.receiving().ID)
			return func() error {
				_, err := w.complete(w.alice, address)
				return err
			}
		}},
		{"in the picture of an account", func(w *world) func() error {
			picture := base64.StdEncoding.EncodeToString(pngOf(w.t, 6, 4))
			return func() error { return w.SetAccountPicture(w.alice.ctx, picture) }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := test.prepare(w)
			w.useStore(fullStore{w.store})
			checkError(t, request(), model.CodeQuotaExceeded, model.DiskFull)
			if got, want := strings.Count(w.log.String(), "the storage of files is full"), 1; got != want {
				t.Errorf("lines of the log: got %d, want %d for the operator", got, want)
			}
		})
	}
}
