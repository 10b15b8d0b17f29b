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
