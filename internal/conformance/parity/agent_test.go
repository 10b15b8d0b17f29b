package parity_test

import (
	"encoding/json"
	"slices"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// agent calls the tools of MCP as a model does that was asked for a tour of a room.
type agent struct {
	*api.Client
	space string
}

// tool calls a tool with the id of the space and more arguments, and reads its result into v.
func (a agent) tool(name string, arguments map[string]any, v any) {
	a.T.Helper()
	arguments["spaceId"] = a.space
	if err := a.Tool(name, arguments, v); err != nil {
		a.T.Fatalf("%s: %v", name, err)
	}
}

// What an agent needs for "make a tour of this room" is in the tools and their examples: it lists what is
// there, adds notes, the tour and a look, and reads back what it has made. Other programs get the same.
func TestAgent_makes_a_tour_of_a_room(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	owner := w.NewClient(t, model.CreateUser{Email: "ada@example.com", Name: "Ada", Plan: model.PlanFree, Quota: 1 << 20})
	var room struct{ SpaceID string }
	owner.Call("POST", "/v1/spaces", map[string]any{"title": "Kitchen"}).Want(201, &room)
	a := agent{owner, room.SpaceID}
	for id, position := range map[string][]float64{"stove": {2, 1, -3}, "window": {-2, 1.5, -3}} {
		owner.Call("POST", "/v1/spaces/"+a.space+"/entities", map[string]any{
			"entity_id": id, "entity_type": "Simple", "entity_data": map[string]any{"label": id, "position": position},
		}).Want(201, nil)
	}

	var listed struct {
		Entities []struct {
			ID   string `json:"entity_id"`
			Data struct {
				Label    string
				Position [3]float64
			} `json:"entity_data"`
		}
	}
	a.tool("list_entities", map[string]any{}, &listed)
	stops := []any{map[string]any{"camera": map[string]any{"position": []float64{0, 1.6, 3}, "target": []float64{0, 1.5, 0}}, "seconds": 2, "title": "Welcome"}}
	for _, thing := range listed.Entities {
		at := thing.Data.Position
		id := "note-" + thing.ID
		a.tool("create_entity", map[string]any{"entity_id": id, "entity_type": "AnnotationEntity", "entity_data": map[string]any{
			"title": thing.Data.Label, "text": "The **" + thing.Data.Label + "**.", "position": at,
			"camera": map[string]any{"position": []float64{at[0], 1.6, at[2] + 2}, "target": at},
		}}, nil)
		stops = append(stops, map[string]any{"annotation": id, "seconds": 6, "flight": 3})
	}
	a.tool("create_entity", map[string]any{"entity_id": "tour", "entity_type": "TourEntity", "entity_data": map[string]any{
		"title": "The kitchen", "autoPlay": true, "stops": stops,
	}}, nil)
	a.tool("update_entity", map[string]any{"entity_id": model.RoomInfoID, "entity_data": map[string]any{
		"backgroundColor": "#203040", "framePosteffectParams": map[string]any{"saturation": 1.2},
	}}, nil)

	var tour struct {
		Type string `json:"entity_type"`
		Data struct {
			Title string
			Stops []struct{ Annotation string }
		} `json:"entity_data"`
	}
	a.tool("get_entity", map[string]any{"entity_id": "tour"}, &tour)
	var order []string
	for _, stop := range tour.Data.Stops {
		order = append(order, stop.Annotation)
	}
	slices.Sort(order)
	if tour.Type != "TourEntity" || tour.Data.Title != "The kitchen" || !slices.Equal(order, []string{"", "note-stove", "note-window"}) {
		t.Errorf("tour: got %+v", tour)
	}
	var settings struct {
		StartMode  string
		Background struct{ Color []float64 }
		AnimTracks []struct {
			Name      string
			Duration  float64
			Keyframes struct{ Times []float64 }
		}
		Annotations []struct{ Title string }
	}
	var raw json.RawMessage
	if err := owner.GraphQL(`query ($id: ID!) { supersplatSettings(spaceId: $id) }`, map[string]any{"id": a.space}, &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &settings); err != nil {
		t.Fatal(err)
	}
	// 2 s at the first view, and twice a flight of 3 s and a halt of 6 s: two keys each.
	if len(settings.Annotations) != 2 || len(settings.AnimTracks) != 1 || settings.StartMode != "animTrack" ||
		settings.AnimTracks[0].Duration != 20 || len(settings.AnimTracks[0].Keyframes.Times) != 6 || settings.Background.Color[2] == 0 {
		t.Errorf("settings for other viewers: got %s", raw)
	}
}
