package rest

import (
	"strings"
	"testing"

	"portico/graph/view"
)

// avatarOf uploads the files of an avatar of alice, and returns the body of the request that trainers
// send, without assign, and the address of its figure.
func (w *world) avatarOf() (body, url string) {
	w.t.Helper()
	glb, url := w.upload(w.alice, "figure.glb", "glTF")
	splat, _ := w.upload(w.alice, "person.spz", "spz")
	binding, _ := w.upload(w.alice, "binding.bin", "bind")
	fit, _ := w.upload(w.alice, "fit.json", "{}")
	return `{'glb':'` + glb + `','splat':'` + splat + `','binding':'` + binding + `','fit':'` + fit + `','originalName':'Ada'`, url
}

// createAvatar stores an avatar of alice, checks the response and returns the id.
func (w *world) createAvatar(prefix, body, url string, assigned bool) string {
	w.t.Helper()
	got := read[view.CreatedAvatar](w.call(w.alice, "POST", prefix+"/avatars/splat", quotes(body)), 200)
	if got.ID == "" || got.URL != url || got.Assigned != assigned {
		w.t.Errorf("avatar: got %+v, want the address %s and assigned %v", got, url, assigned)
	}
	return got.ID
}

func TestCreateAvatar_assigns_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body, url := w.avatarOf()
	picture, pictureURL := w.upload(w.alice, "face.jpg", "jpeg")
	me := func(avatar string) {
		t.Helper()
		w.call(w.alice, "GET", "/api/v1/user/me", "").want(200, `{'status':'ok','data':{'id':'`+w.alice.id+
			`','name':'alice','email':'alice@example.com','plan':'pro','storage':{'used':17,'quota':10000}`+avatar+`}}`)
	}
	id := w.createAvatar("/v1", body+`,'assign':false}`, url, false)
	me("")
	for _, prefix := range []string{"/v1", "/api/v1"} {
		if again := w.createAvatar(prefix, body+`,'assign':true}`, url, true); again != id {
			t.Errorf("the same figure: got the id %s, want %s again", again, id)
		}
	}
	me(`,'avatarUrl':'` + url + `'`)
	w.createAvatar("/v1", body+`,'thumbnail':'`+picture+`','assign':true}`, url, true)
	me(`,'avatarUrl':'` + url + `','profileImageUrl':'` + pictureURL + `'`)
	if list := w.call(w.alice, "GET", "/v1/avatars", "").body; strings.Count(list, `"originalName":"Ada"`) != 1 {
		t.Errorf("avatars: got %s, want one", list)
	}
	w.call(w.bob, "GET", "/v1/avatars", "").want(200, `{'status':'ok','data':{'avatars':[]}}`)

	// A deleted picture leaves the avatar, and a deleted file takes it along.
	w.call(w.alice, "DELETE", "/v1/files?resource_key="+picture, "").want(200, `{'status':'ok','data':{'message':'File deleted'}}`)
	if list := w.call(w.alice, "GET", "/v1/avatars", "").body; !strings.Contains(list, `"assigned":true`) || strings.Contains(list, "thumbnail") {
		t.Errorf("avatars: got %s, want one without a picture", list)
	}
	_, fit, _ := strings.Cut(body, `'fit':'`)
	fit, _, _ = strings.Cut(fit, "'")
	w.call(w.alice, "DELETE", "/v1/files?resource_key="+fit, "").want(200, `{'status':'ok','data':{'message':'File deleted'}}`)
	w.call(w.alice, "GET", "/v1/avatars", "").want(200, `{'status':'ok','data':{'avatars':[]}}`)
}
