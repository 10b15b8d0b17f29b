package rest

import (
	"strings"
	"testing"

	"portico/graph/view"
)

// created is the response to both routes that make a space.
type created struct {
	SpaceID   string
	SpaceURL  string `json:"space_url"`
	Title     string
	SpaceType string `json:"space_type"`
}

func TestCreateSpace_takes_its_fields_bare_or_wrapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	key, _ := w.upload(w.alice, "My house.glb", "glTF")
	for _, c := range []struct{ name, body, title, kind string }{
		{"bare", `{'title':'A','description':'D','space_type':'hub'}`, "A", "hub"},
		{"wrapped", `{'space_data':{'title':'A','space_type':'hub'}}`, "A", "hub"},
		{"wrapped beside bare fields", `{'title':'B','space_data':{'title':'A'}}`, "A", "infinite"},
		{"an empty wrapper", `{'space_data':{}}`, "Untitled space", "infinite"},
		{"nothing", ``, "Untitled space", "infinite"},
		{"an empty title", `{'title':''}`, "Untitled space", "infinite"},
		{"a title of blanks", `{'title':' \u00a0 \u3000'}`, "Untitled space", "infinite"},
		{"a title that nobody sees", `{'title':'\u200b\u2060 \u200d'}`, "Untitled space", "infinite"},
		{"a file", `{'resource_key':'` + key + `'}`, "My house", "infinite"},
		{"a wrapped file", `{'space_data':{'resource_key':'` + key + `','space_type':'hub'}}`, "My house", "hub"},
		{"a file and a title", `{'resource_key':'` + key + `','title':'A'}`, "A", "infinite"},
		{"an empty resource key", `{'resource_key':''}`, "Untitled space", "infinite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.call(w.alice, "POST", "/v1/user/create-space", quotes(c.body))
			space := read[created](got, 200)
			if !strings.HasPrefix(space.SpaceURL, webURL+"/"+w.alice.id+"_") {
				t.Errorf("space_url: got %s, want one below %s/%s_", space.SpaceURL, webURL, w.alice.id)
			}
			got.want(200, `{'status':'ok','message':'Space created','data':{'space_url':'`+space.SpaceURL+
				`','title':'`+c.title+`','space_type':'`+c.kind+`'}}`)
			id := strings.TrimPrefix(space.SpaceURL, webURL+"/")
			read := read[view.Space](w.call(w.alice, "GET", "/v1/spaces/"+id, ""), 200)
			if read.Title != c.title || read.Privacy != "Closed" {
				t.Errorf("space: got %q, %s, want %q, Closed", read.Title, read.Privacy, c.title)
			}
		})
	}
}

func TestCreateSpace_adds_the_entities_of_its_type(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, _ := w.upload(w.alice, "a.glb", "glTF")
	for body, want := range map[string]int{
		`{}`:                             0,
		`{'space_type':'hub'}`:           7,
		`{'resource_key':'` + key + `'}`: 1,
		`{'resource_key':'` + key + `','space_type':'hub'}`: 8,
	} {
		id := w.space(w.alice, body)
		if got := read[pageOf](w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities", ""), 200).Total; got != want {
			t.Errorf("%s: entities: got %d, want %d", body, got, want)
		}
	}
}

func TestCreateSpace_refuses_another_users_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, _ := w.upload(w.bob, "a.glb", "glTF")
	for _, path := range []string{"/v1/user/create-space", "/v1/spaces"} {
		w.call(w.alice, "POST", path, `{"resource_key":"`+key+`"}`).refused(404, "File not found")
	}
}

func TestAddSpace_takes_privacy_and_answers_201(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, body, privacy string }{
		{"none", `{'title':'A'}`, "Closed"},
		{"null", `{'title':'A','privacy':null}`, "Closed"},
		{"Open", `{'title':'A','privacy':'Open'}`, "Open"},
		{"Closed", `{'title':'A','privacy':'Closed'}`, "Closed"},
		{"Public", `{'title':'A','privacy':'Public'}`, "Open"},
		{"Private", `{'title':'A','privacy':'Private'}`, "Closed"},
		{"Link Only", `{'title':'A','privacy':'Link Only'}`, "Link Only"},
		{"roomPrivacy", `{'title':'A','roomPrivacy':'Public'}`, "Open"},
		{"unknown fields, which are ignored", `{'title':'A','else':1}`, "Closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.call(w.alice, "POST", "/v1/spaces", quotes(c.body))
			space := read[created](got, 201)
			got.want(201, `{'status':'ok','data':{'spaceId':'`+space.SpaceID+`','space_url':'`+webURL+`/`+space.SpaceID+
				`','title':'A','space_type':'infinite'}}`)
			view := read[map[string]any](w.call(w.alice, "GET", "/v1/spaces/"+space.SpaceID, ""), 200)
			if got, want := view["privacy"], c.privacy; got != want {
				t.Errorf("privacy: got %v, want %s", got, want)
			}
			if _, kept := view["else"]; kept {
				t.Errorf("space: got %v, want no unknown field", view)
			}
		})
	}
	w.call(w.alice, "POST", "/v1/spaces", `{"privacy":"open"}`).refused(400, "Invalid privacy option")
	w.call(w.bob, "POST", "/v1/spaces", `{"privacy":"Link Only"}`).refused(400, "You need to be a Pro user to set a space to Link Only")
}
