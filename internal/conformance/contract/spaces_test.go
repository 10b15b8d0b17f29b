package contract

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestGolden_user(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.upload(w.alice, "chair.glb", "model/gltf-binary", "glTF")
	w.golden("me", 200, "The caller's account; storage is in bytes.", w.call(w.alice, "GET", "/v1/user/me", ""))
}

func TestGolden_avatars(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	figure := w.upload(w.alice, "figure.glb", "model/gltf-binary", "glTF")
	capture := w.upload(w.alice, "person.spz", "application/octet-stream", "spz")
	binding := w.upload(w.alice, "binding.bin", "application/octet-stream", "bind")
	fit := w.upload(w.alice, "fit.json", "application/json", "{}")
	picture := w.upload(w.alice, "face.jpg", "image/jpeg", "jpeg")
	body := `{"glb":"` + figure + `","splat":"` + capture + `","binding":"` + binding + `","fit":"` + fit +
		`","thumbnail":"` + picture + `","originalName":"Ada","assign":true}`
	const path = "/v1/avatars/splat"
	w.golden("create", 200, "Stores an avatar and assigns it to the account; everybody can read its files.", w.call(w.alice, "POST", path, body))
	w.golden("list", 200, "The avatars, newest first; url is the address of the glb.", w.call(w.alice, "GET", "/v1/avatars", ""))
	w.golden("me", 200, "The account has the address of its avatar.", w.call(w.alice, "GET", "/v1/user/me", ""))
	w.golden("foreign-file", 404, "A file of another account is not found.", w.call(w.bob, "POST", path, body))
	w.golden("wrong-file", 400, "The error names the field.", w.call(w.alice, "POST", path, strings.Replace(body, capture, fit, 1)))
	w.golden("wrong-type", 400, "The error names the field.", w.call(w.alice, "POST", path, `{"glb":5}`))
	w.golden("missing", 400, "The error names the field.", w.call(w.alice, "POST", path, `{"glb":"`+figure+`"}`))
	w.golden("delete-unknown", 404, "An unknown avatar.", w.call(w.alice, "DELETE", "/v1/avatars/none", ""))
}

func TestGolden_createspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	const path = "/v1/user/create-space"
	key := w.upload(w.alice, "My house.glb", "model/gltf-binary", "glTF")
	foreign := w.upload(w.bob, "lamp.glb", "model/gltf-binary", "glTF")
	w.golden("bare", 200, "The fields without a wrapper.",
		w.call(w.alice, "POST", path, `{'title':'My room','description':'Where I live','resource_key':'`+key+`','space_type':'hub'}`))
	w.golden("wrapped", 200, "The fields inside space_data. The title is the file's name without its extension.",
		w.call(w.alice, "POST", path, `{'space_data':{'resource_key':'`+key+`'}}`))
	w.golden("both", 200, "Where both shapes come, space_data wins.",
		w.call(w.alice, "POST", path, `{'title':'Bare','space_data':{'title':'Wrapped'}}`))
	w.golden("empty", 200, "Nothing at all makes an empty infinite space.", w.call(w.alice, "POST", path, ``))
	w.golden("another-users-file", 404, "Another user's file is not there.",
		w.call(w.alice, "POST", path, `{'resource_key':'`+foreign+`'}`))
	w.golden("no-such-type", 400, "A space is hub or infinite.", w.call(w.alice, "POST", path, `{'space_type':'Hub'}`))
	w.golden("title-no-string", 400, "A wrong field is named as it was sent.",
		w.call(w.alice, "POST", path, `{'space_data':{'title':7}}`))
	w.golden("title-too-long", 400, "A title has at most 500 characters.",
		w.call(w.alice, "POST", path, `{'title':'`+strings.Repeat("x", 501)+`'}`))
}

func TestGolden_spaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.golden("none", 200, "A list without items.", w.call(w.alice, "GET", "/v1/spaces", ""))
	made := w.golden("add", 201, "Makes a space with its privacy. Open means Public.",
		w.call(w.alice, "POST", "/v1/spaces", `{'title':'<Bed & bath>','space_type':'hub','privacy':'Open'}`))
	id := made.data(t, "spaceId")
	w.golden("add-by-other-name", 201, "roomPrivacy is read when privacy is absent; unknown fields are ignored.",
		w.call(w.alice, "POST", "/v1/spaces", `{'title':'Garden','roomPrivacy':'Link Only','else':1}`))
	w.golden("add-link-only-not-pro", 400, "Link Only requires the Pro plan, wherever it is set.",
		w.call(w.bob, "POST", "/v1/spaces", `{'privacy':'Link Only'}`))
	w.golden("add-no-such-privacy", 400, "The words are taken to the letter.",
		w.call(w.alice, "POST", "/v1/spaces", `{'privacy':'public'}`))
	w.golden("list", 200, "The caller's spaces, newest first. Open and Closed are answered for Public and Private.",
		w.call(w.alice, "GET", "/v1/spaces", ""))
	w.golden("search", 200, "A text in title or description, in any case.", w.call(w.alice, "GET", "/v1/spaces?search=GARD", ""))
	page := w.golden("first-page", 200, "One space a page.", w.call(w.alice, "GET", "/v1/spaces?limit=1", ""))
	w.golden("last-page", 200, "The page after it, which is the last.",
		w.call(w.alice, "GET", "/v1/spaces?limit=1&cursor="+page.data(t, "nextCursor"), ""))
	w.golden("limit-no-number", 400, "The limit is a whole number.", w.call(w.alice, "GET", "/v1/spaces?limit=ten", ""))
	w.golden("get", 200, "One space.", w.call(w.alice, "GET", "/v1/spaces/"+id, ""))
	w.golden("visit", 200, "Another user's public space: this counts as a visit.", w.call(w.bob, "GET", "/v1/spaces/"+id, ""))
	w.golden("get-another-users", 403, "Another user's private space.", w.call(w.alice, "GET", "/v1/spaces/"+w.space(w.bob, `{}`), ""))
	w.golden("get-unknown", 404, "No such space.", w.call(w.alice, "GET", "/v1/spaces/none", ""))
	path := "/v1/spaces/" + id
	w.golden("put", 200, "Merges the known fields, keeps unknown ones to the letter, and ignores what is the server's.",
		w.call(w.alice, "PUT", path, `{'title':'Bed','privacy':'Closed','color':{'r':12345678901234567890},'id':'x','owner':'x','visitCount':9}`))
	w.golden("put-nothing", 200, "What is left out, or null, is kept.", w.call(w.alice, "PUT", path, `{'title':null}`))
	w.golden("put-another-users", 403, "Another user's space.", w.call(w.bob, "PUT", path, `{}`))
	w.golden("put-unknown", 404, "No such space.", w.call(w.alice, "PUT", "/v1/spaces/none", `{}`))
	w.golden("put-no-such-privacy", 400, "A wrong privacy.", w.call(w.alice, "PUT", path, `{'privacy':'secret'}`))
	w.golden("put-link-only-not-pro", 400, "Link Only requires the Pro plan.",
		w.call(w.bob, "PUT", "/v1/spaces/"+w.space(w.bob, `{}`), `{'privacy':'Link Only'}`))
	w.golden("delete-another-users", 403, "Another user's space.", w.call(w.bob, "DELETE", path, ""))
	w.golden("delete", 200, "Deletes the space with its entities.", w.call(w.alice, "DELETE", path, ""))
	w.golden("delete-again", 404, "It is gone.", w.call(w.alice, "DELETE", path, ""))
}

func TestGolden_shared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	id := w.space(w.alice, `{'title':'Garden','privacy':'Open'}`)
	w.golden("put", 200, "The splat trainer keeps its block with the space; answers have it again in data.",
		w.call(w.alice, "PUT", "/v1/spaces/"+id, `{'splatjs':{'v':1,'poster':'p.jpg'}}`))
	w.golden("put-in-data", 200, "Fields that come inside data are kept too.",
		w.call(w.alice, "PUT", "/v1/spaces/"+id, `{'data':{'splatjs':{'v':2},'id':'x'}}`))
	w.golden("put-data-no-object", 400, "data is an object.", w.call(w.alice, "PUT", "/v1/spaces/"+id, `{'data':'x'}`))
	w.golden("share", 200, "A shared space.", w.call(w.bob, "GET", "/v1/splatjs/share/"+id, ""))
	w.golden("gallery", 200, "The Public shared spaces of all accounts, newest first.", w.call(w.bob, "GET", "/v1/splatjs/gallery", ""))
	w.golden("gallery-count", 400, "A page has at least one space.", w.call(w.bob, "GET", "/v1/splatjs/gallery?count=0", ""))
	w.golden("mine", 200, "The caller's shared spaces.", w.call(w.alice, "GET", "/v1/splatjs/mine", ""))
	w.golden("share-without-block", 404, "A space that nobody shares.", w.call(w.alice, "GET", "/v1/splatjs/share/"+w.space(w.alice, `{'privacy':'Open'}`), ""))
}

func TestGolden_privacy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	const path = "/v1/spaces/update-privacy"
	hers, his := w.space(w.alice, `{}`), w.space(w.bob, `{}`)
	w.golden("public", 200, "Followers are told once when the space becomes Public.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`','roomPrivacy':'Public','informFollowers':true}`))
	w.golden("private", 200, "From any privacy to Private.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`','roomPrivacy':'Private'}`))
	w.golden("link-only", 200, "Link Only for a Pro user.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`','roomPrivacy':'Link Only'}`))
	w.golden("link-only-not-pro", 400, "Link Only requires the Pro plan.",
		w.call(w.bob, "POST", path, `{'spaceId':'`+his+`','roomPrivacy':'Link Only'}`))
	w.golden("no-such-option", 400, "Only the three options count here, to the letter.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`','roomPrivacy':'Open'}`))
	w.golden("another-users", 403, "Another user's space, said before the option is looked at.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+his+`','roomPrivacy':'Open'}`))
	w.golden("unknown", 404, "No such space, said before anything else of it.",
		w.call(w.alice, "POST", path, `{'spaceId':'none','roomPrivacy':'Open'}`))
	w.golden("space-missing", 400, "A missing field is named.", w.call(w.alice, "POST", path, `{'roomPrivacy':'Public'}`))
	w.golden("option-missing", 400, "A missing field is named.", w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`'}`))
	w.golden("inform-no-boolean", 400, "A field of another JSON type is named.",
		w.call(w.alice, "POST", path, `{'spaceId':'`+hers+`','roomPrivacy':'Public','informFollowers':'yes'}`))
}

func TestAddresses_have_the_forms_that_clients_rely_on(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	made := w.send(t, w.call(w.alice, "POST", "/v1/spaces", `{}`))
	id := made.data(t, "spaceId")
	key := w.upload(w.alice, "Chair.GLB", "model/gltf-binary", "glTF")
	entity := w.send(t, w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{'resource_key':'`+key+`'}`))
	for _, c := range []struct{ name, got, want string }{
		{"userId", w.alice.id, `^[0-9]{8}$`},
		{"spaceId", id, `^` + w.alice.id + `_[a-z0-9]{26}$`},
		{"space_url", made.data(t, "space_url"), `^` + webURL + `/` + id + `$`},
		{"resource_key", key, `^api_uploads/[a-z0-9]{26}_Chair\.GLB$`},
		{"glbUrl", entity.data(t, "entity_data", "glbUrl"), `^` + regexp.QuoteMeta(w.base+"/files/"+w.alice.id+"/"+key) + `$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !regexp.MustCompile(c.want).MatchString(c.got) {
				t.Errorf("got %s, want %s", c.got, c.want)
			}
		})
	}
}

// A page starts after a row, not at a position.
func TestPages_stay_right_while_entities_come_and_go(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		w.send(t, w.call(w.alice, "POST", path, `{'entity_id':'`+id+`'}`))
	}
	first := w.send(t, w.call(w.alice, "GET", path+"?limit=2", ""))
	for _, gone := range []string{"a", "b", "d"} { // b is the row that the cursor names
		w.send(t, w.call(w.alice, "DELETE", path+"/"+gone, ""))
	}
	w.send(t, w.call(w.alice, "POST", path, `{'entity_id':'f'}`))
	second := w.send(t, w.call(w.alice, "GET", path+"?limit=2&cursor="+url.QueryEscape(first.data(t, "nextCursor")), ""))
	third := w.send(t, w.call(w.alice, "GET", path+"?limit=2&cursor="+url.QueryEscape(second.data(t, "nextCursor")), ""))
	if got, want := ids(t, first)+ids(t, second)+ids(t, third), "abcef"; got != want {
		t.Errorf("entities: got %s, want %s", got, want)
	}
}

// ids returns the ids of a page's entities, one after the other.
func ids(t *testing.T, page response) string {
	t.Helper()
	var got struct {
		Data struct {
			Entities []struct {
				ID string `json:"entity_id"`
			}
		}
	}
	check(t, json.Unmarshal(page.body, &got))
	var all strings.Builder
	for _, entity := range got.Data.Entities {
		all.WriteString(entity.ID)
	}
	return all.String()
}
