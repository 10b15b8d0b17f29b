package graph

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"

	"portico/model"
)

// setPicture sends bytes as the picture of the account, and returns the answer.
func (w *world) setPicture(who account, sent string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{
		"query":     `mutation ($picture: String!) { setAccountPicture(input: {picture: $picture}) { user { picture } } }`,
		"variables": map[string]string{"picture": sent},
	})
	check(w.t, err)
	_, answer := w.ask(who, string(body))
	return answer
}

// pictureOfAlice returns the storage key of the picture of alice's account as bob sees it; empty
// for none.
func (w *world) pictureOfAlice() string {
	w.t.Helper()
	query, err := json.Marshal(map[string]string{"query": `{ user(id: "` + model.NodeID(model.NodeUser, w.alice.id) + `") { picture } }`})
	check(w.t, err)
	status, answer := w.ask(w.bob, string(query))
	equal(w.t, "status", status, http.StatusOK)
	var found struct {
		Data struct{ User struct{ Picture *string } }
	}
	check(w.t, json.Unmarshal([]byte(answer), &found))
	if found.Data.User.Picture == nil {
		return ""
	}
	key, ok := w.Store.KeyOf(*found.Data.User.Picture)
	if !ok {
		w.t.Fatalf("picture got %s, want an address of the store", answer)
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
	object, err := w.Store.Open(t.Context(), first)
	check(t, err)
	stored, err := io.ReadAll(object)
	check(t, err)
	check(t, object.Close())
	size, err := jpeg.DecodeConfig(bytes.NewReader(stored))
	check(t, err)
	equal(t, "width", size.Width, model.AccountPictureSize)
	shown, err := (&ShownFiles{DB: w.DB}).Shown(t.Context(), first)
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
		keys, err := w.DB.DueRemovals(t.Context(), 10)
		check(t, err)
		return keys
	}
	if got := removals(); second == first || len(got) != 1 || got[0] != first {
		t.Errorf("removals: got %v, want %s alone", got, first)
	}
	check(t, w.removeAccountPicture(w.alice.ctx))
	check(t, w.removeAccountPicture(w.alice.ctx)) // there is none
	equal(t, "picture afterwards", w.pictureOfAlice(), "")
	if got := removals(); len(got) != 2 {
		t.Errorf("removals: got %v, want both", got)
	}
	if err := w.removeAccountPicture(t.Context()); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("a stranger removes a picture: got %v", err)
	}
}
