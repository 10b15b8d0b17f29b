package rest

import (
	"testing"

	"portico/model"
)

func TestMe_is_the_callers_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.upload(w.alice, "a.glb", "glTF")
	w.call(w.alice, "GET", "/v1/user/me", "").want(200, `{'status':'ok','data':{'id':'`+w.alice.id+
		`','name':'alice','email':'alice@example.com','plan':'pro','storage':{'used':4,'quota':10000}}}`)
	w.call(w.bob, "GET", "/v1/user/me", "").want(200, `{'status':'ok','data':{'id':'`+w.bob.id+
		`','name':'bob','email':'bob@example.com','plan':'free','storage':{'used':0,'quota':10000}}}`)
}

func TestMe_has_the_address_of_the_picture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := model.NewAccountPictureKey(w.alice.id)
	check(t, w.db.Accounts().SetAccountPicture(t.Context(), w.alice.id, key))
	address := *w.resolver.PictureURL(key)
	for _, path := range []string{"/v1/user/me", "/api/v1/user/me"} {
		w.call(w.alice, "GET", path, "").want(200, `{'status':'ok','data':{'id':'`+w.alice.id+
			`','name':'alice','email':'alice@example.com','plan':'pro','storage':{'used':0,'quota':10000},`+
			`'avatarUrl':'`+address+`','profileImageUrl':'`+address+`'}}`)
	}
}
