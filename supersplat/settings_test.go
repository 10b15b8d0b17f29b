package supersplat_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// published returns a space of the client with a capture of one Gaussian.
func published(c *api.Client) string {
	c.T.Helper()
	s := start(c, len(ply()))
	return complete(c, s, 201, part{PartNumber: 1, ETag: putWanted(c, addresses(c, s, 1)[1], ply())})
}

type entities []struct {
	ID   string          `json:"entity_id"`
	Type string          `json:"entity_type"`
	Data json.RawMessage `json:"entity_data"`
}

func entitiesOf(c *api.Client, space string) (list entities) {
	c.T.Helper()
	_, err := c.REST("GET", "/spaces/"+space+"/entities", nil, &struct {
		Entities *entities `json:"entities"`
	}{&list})
	check(c.T, err)
	return list
}

// The settings of a viewer become annotations, a tour, a first view and a look, and return as a file.
// What returns, replaces itself.
func TestSettings_go_in_and_out(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanPro)
	id := published(c)
	file, err := os.ReadFile("../splat/experience/testdata/settings.json")
	check(t, err)
	var first, second json.RawMessage
	send(c, "PUT /splats/"+id+"/settings", json.RawMessage(file), 200, &first)
	count := len(entitiesOf(c, id))
	if count != 4 { // the capture, two annotations and a tour
		t.Errorf("entities: got %d, want 4", count)
	}
	send(c, "PUT /splats/"+id+"/settings", first, 200, &second)
	if !bytes.Equal(first, second) {
		t.Errorf("settings that were read and written: got %s, want %s", second, first)
	}
	if again := len(entitiesOf(c, id)); again != count {
		t.Errorf("entities after another import: got %d, want %d", again, count)
	}
	var got, want struct {
		Cameras, AnimTracks, PostEffectSettings, Background any
		StartMode, Tonemapping                              string
		Annotations                                         []struct{ Title string }
	}
	check(t, json.Unmarshal(second, &got))
	check(t, json.Unmarshal(file, &want))
	gotText, err := json.Marshal(got)
	check(t, err)
	wantText, err := json.Marshal(want)
	check(t, err)
	if !bytes.Equal(gotText, wantText) {
		t.Errorf("settings: got %s, want %s", gotText, wantText)
	}
	var read any
	node := object{"id": model.NodeID(model.NodeSpace, id)}
	check(t, c.GraphQL(`query($id: ID!) { supersplatSettings(spaceId: $id) }`, node, &read))
	var imported struct{ AnnotationCount, TourCount int }
	check(t, c.GraphQL(`mutation($id: ID!, $settings: JSON!) { importSupersplatSettings(input: {spaceId: $id, settings: $settings}) { annotationCount tourCount } }`,
		object{"id": node["id"], "settings": read}, &imported))
	if imported.AnnotationCount != 2 || imported.TourCount != 1 || len(entitiesOf(c, id)) != count {
		t.Errorf("by GraphQL: got %+v, want 2 annotations and a tour that replace themselves", imported)
	}
}

// The same settings twice make what they make once: with a camera path, two tours of one name, and
// annotations of another program.
func TestSettings_that_are_imported_twice_add_nothing(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanPro)
	id := published(c)
	path := `{"id":"f","name":"Flight","data":{"fps":30,"entities":{"main-camera":{"position":{"type":"vec3","keyframes":[
		{"id":"a","frameNumber":0,"keyframeData":{"x":0,"y":1.6,"z":6.1234567891}},{"id":"b","frameNumber":45,"keyframeData":{"x":1,"y":1.6,"z":2}}]}}},"markers":[]}}`
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(c.Put("flight.path", api.Text(path)))).Want(200, &confirmed)
	_, err := c.REST("POST", "/spaces/"+id+"/entities", object{"entity_id": "flight", "resource_key": confirmed.ResourceKey, "entity_data": object{"autoPlay": true}}, nil)
	check(t, err)
	stops := []object{{"camera": object{"position": []int{0, 1, 2}, "target": []int{0, 1, 0}}}}
	for _, name := range []string{"one", "two"} {
		_, err := c.REST("POST", "/spaces/"+id+"/entities", object{"entity_id": name, "entity_type": "TourEntity", "entity_data": object{"title": "Round", "stops": stops}}, nil)
		check(t, err)
	}
	foreign := object{"version": 2, "annotations": []object{{"position": []float64{0.1, 0.2, 0.3}, "title": "A", "text": "first"}, {"position": []int{1, 2, 3}, "title": "A"}}}
	send(c, "PUT /splats/"+id+"/settings", foreign, 200, nil)
	var settings, after json.RawMessage
	send(c, "GET /splats/"+id+"/settings", nil, 200, &settings)
	count := len(entitiesOf(c, id))
	if count != 6 { // a capture, a path, two tours and two annotations
		t.Errorf("entities: got %d, want 6", count)
	}
	for range 2 {
		send(c, "PUT /splats/"+id+"/settings", settings, 200, &after)
		if !bytes.Equal(after, settings) || len(entitiesOf(c, id)) != count {
			t.Errorf("its own settings again: got %d entities, want %d; settings %s, want %s", len(entitiesOf(c, id)), count, after, settings)
		}
	}
	foreign["annotations"].([]object)[0]["text"] = "second"
	send(c, "PUT /splats/"+id+"/settings", foreign, 200, &after)
	if len(entitiesOf(c, id)) != count || !bytes.Contains(after, []byte(`"second"`)) || bytes.Contains(after, []byte(`"first"`)) {
		t.Errorf("foreign settings again: got %d entities, want %d, with the new text: %s", len(entitiesOf(c, id)), count, after)
	}
}

// Strangers change nothing, and read only what they may open. What are no settings is refused as a whole.
func TestSettings_of_another_account(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	ada, bob := newClient(t, w, "ada", model.PlanFree), newClient(t, w, "bob", model.PlanFree)
	id := published(ada)
	settings := object{"version": 2, "annotations": []object{{"position": []int{1, 2, 3}, "title": "A"}}}
	send(bob, "GET /splats/"+id+"/settings", nil, 403, nil)
	send(bob, "PUT /splats/"+id+"/settings", settings, 403, nil)
	send(&api.Client{T: t, URL: ada.URL}, "GET /splats/"+id+"/settings", nil, 401, nil)
	send(ada, "PUT /splats/nothing/settings", settings, 404, nil)
	for _, wrong := range []any{nil, []int{}, object{}, object{"version": 3}, object{"version": 2, "annotations": []object{{"position": []float64{1e9, 0, 0}}}}} {
		send(ada, "PUT /splats/"+id+"/settings", wrong, 400, nil)
	}
	_, err := ada.REST("PUT", "/spaces/"+id, object{"privacy": "Public"}, nil)
	check(t, err)
	send(bob, "GET /splats/"+id+"/settings", nil, 200, nil)
	send(bob, "PUT /splats/"+id+"/settings", settings, 403, nil)
	_, err = ada.REST("POST", "/spaces/"+id+"/lock", object{"name": "Editor"}, nil)
	check(t, err)
	send(ada, "PUT /splats/"+id+"/settings", settings, 423, nil)
	if got := len(entitiesOf(ada, id)); got != 1 {
		t.Errorf("entities: got %d, want the capture alone", got)
	}
}
