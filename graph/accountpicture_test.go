package graph_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"portico/graph"
	"portico/model"
)

// setPicture sends bytes as the picture of the account, and returns the response.
func (w *world) setPicture(who account, sent string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{
		"query":     `mutation ($picture: String!) { setAccountPicture(input: {picture: $picture}) { user { picture } } }`,
		"variables": map[string]string{"picture": sent},
	})
	check(w.t, err)
	_, response := w.ask(who, string(body))
	return response
}

// pictureOfAlice returns the storage key of the picture of alice's account as bob sees it; empty
// for none.
func (w *world) pictureOfAlice() string {
	w.t.Helper()
	query, err := json.Marshal(map[string]string{"query": `{ user(id: "` + model.NodeID(model.NodeUser, w.alice.id) + `") { picture } }`})
	check(w.t, err)
	status, response := w.ask(w.bob, string(query))
	equal(w.t, "status", status, http.StatusOK)
	var found struct {
		Data struct{ User struct{ Picture *string } }
	}
	check(w.t, json.Unmarshal([]byte(response), &found))
	if found.Data.User.Picture == nil {
		return ""
	}
	key, ok := w.store.KeyOf(*found.Data.User.Picture)
	if !ok {
		w.t.Fatalf("picture got %s, want an address of the store", response)
	}
	return key
}

func wantPart(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestSetAccountPicture_stores_a_square_picture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sent := pngOf(t, 600, 400)
	equal(t, "picture before", w.pictureOfAlice(), "")
	wantPart(t, w.setPicture(w.alice, base64.StdEncoding.EncodeToString(sent)), "/pictures/")
	first := w.pictureOfAlice()
	object, err := w.store.Open(t.Context(), first)
	check(t, err)
	stored, err := io.ReadAll(object)
	check(t, err)
	check(t, object.Close())
	size, err := jpeg.DecodeConfig(bytes.NewReader(stored))
	check(t, err)
	equal(t, "width", size.Width, model.AccountPictureSize)
	shown, err := (&graph.ShownFiles{DB: w.db}).Shown(t.Context(), first)
	check(t, err)
	equal(t, "everybody may see it", shown, true)

	// Refusals keep the picture.
	wantPart(t, w.setPicture(w.alice, base64.StdEncoding.EncodeToString(sent[:100])), `"picture is damaged or incomplete"`)
	wantPart(t, w.setPicture(w.alice, "no base64!"), `"picture must be base64"`)
	wantPart(t, w.setPicture(w.alice, strings.Repeat("A", 720_000)), `"picture must have at most 524288 bytes"`)
	wantPart(t, w.setPicture(account{}, base64.StdEncoding.EncodeToString(sent)), "UNAUTHENTICATED")
	equal(t, "picture after refusals", w.pictureOfAlice(), first)

	// Another picture has another address, and the one before is removed.
	w.setPicture(w.alice, base64.StdEncoding.EncodeToString(sent))
	second := w.pictureOfAlice()
	removals := func() []string {
		keys, err := w.db.Files().DueRemovals(t.Context(), 10)
		check(t, err)
		return keys
	}
	if got := removals(); second == first || len(got) != 1 || got[0] != first {
		t.Errorf("removals: got %v, want %s alone", got, first)
	}
	check(t, w.RemoveAccountPicture(w.alice.ctx))
	check(t, w.RemoveAccountPicture(w.alice.ctx)) // there is none
	equal(t, "picture afterwards", w.pictureOfAlice(), "")
	if got := removals(); len(got) != 2 {
		t.Errorf("removals: got %v, want both", got)
	}
	if err := w.RemoveAccountPicture(t.Context()); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("a stranger removes a picture: got %v", err)
	}
}

func TestShrunkPicture_decodes_one_large_picture_at_a_time(t *testing.T) {
	t.Parallel()
	r, _, large := graph.NewPictures(0)
	turn, err := large.Wait(t.Context(), "alice", 1, nil)
	check(t, err)
	defer turn.Leave()
	_, err = r.ShrunkPicture(t.Context(), "bob", pngOf(t, 30, 30))
	check(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.ShrunkPicture(ended, "bob", jpegHeader(0xC2, 4, true)); !errors.Is(err, context.Canceled) {
		t.Errorf("a second large picture: got %v, want it to wait", err)
	}
}

// Each waiting picture is in memory, so an account may not have any number of them.
func TestSetAccountPicture_refuses_an_account_with_too_many_waiting_pictures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, slots, _ := graph.NewPictures(graph.MaxWaitingPictures)
		_, err := slots.Wait(t.Context(), "bob", 1, nil) // another picture keeps the slot
		check(t, err)
		ctx, leave := context.WithCancel(model.WithCaller(t.Context(), &model.Caller{UserID: "alice"}))
		defer leave()
		results := make(chan error, 2+graph.MaxWaitingPictures)
		for range 2 + graph.MaxWaitingPictures { // one has the turn
			go func() {
				results <- r.SetAccountPicture(ctx, base64.StdEncoding.EncodeToString(jpegHeader(0xC2, 4, true)))
			}()
		}
		synctest.Wait()
		if len(results) != 1 {
			t.Fatalf("pictures that do not wait: got %d, want 1", len(results))
		}
		if err := <-results; model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter <= 0 {
			t.Errorf("a picture too many: got %v, want it rate limited with the time to wait", err)
		}
		leave()
		for range 1 + graph.MaxWaitingPictures {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("a waiting picture whose client has left: got %v, want it canceled", err)
			}
		}
	})
}
