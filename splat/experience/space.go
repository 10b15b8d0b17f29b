package experience

import (
	"encoding/json"
	"math"
)

// The types of entities that settings become, and the id of the one with the settings of a space.
const (
	AnnotationType = "AnnotationEntity"
	TourType       = "TourEntity"
	roomInfo       = "RoomInfo"
)

// The limits of a tour: of its stops, and of the seconds of a flight and of a halt.
const (
	maxStops   = 500
	maxFlight  = 120
	maxHalt    = 600
	haltByRule = 6 // where a stop has no seconds
	flyByRule  = 3
)

// Entity is an entity of a space, with its data as JSON.
type Entity struct {
	ID, Type string
	Data     []byte
	// Path is the content of the camera path (.path) that the entity shows; nil for none.
	Path []byte
}

// stop is a stop of a tour.
type stop struct {
	Annotation string     `json:"annotation,omitempty"`
	Camera     *spaceView `json:"camera,omitempty"`
	Seconds    *float64   `json:"seconds,omitempty"`
	Flight     *float64   `json:"flight,omitempty"`
	Title      string     `json:"title,omitempty"`
	Text       string     `json:"text,omitempty"`
	SoundURL   string     `json:"soundURL,omitempty"`
}

// spaceView is a viewpoint as entities have it.
type spaceView struct {
	Position Vector  `json:"position"`
	Target   Vector  `json:"target"`
	FOV      float64 `json:"fov,omitempty"`
}

// Is reports whether an annotation, with the position of an entity of the space, is the one that the
// entity shows: with the same title at the same place.
func (a Annotation) Is(e Entity, f Frame) bool {
	var data struct {
		Title    string
		Position vector
	}
	return e.Type == AnnotationType && json.Unmarshal(e.Data, &data) == nil && data.Position.isSet && data.Title == a.Title &&
		rounded(f.toViewer(data.Position.Vector)) == rounded(a.Position)
}

// readView returns a viewpoint of an entity, which may have the form of the format; nil for none.
func readView(raw json.RawMessage) *Viewpoint {
	var nested struct {
		Initial json.RawMessage `json:"initial"`
	}
	if json.Unmarshal(raw, &nested) == nil && nested.Initial != nil {
		raw = nested.Initial
	}
	var view struct {
		Position, Target vector
		FOV              *float64 `json:"fov"`
	}
	if json.Unmarshal(raw, &view) != nil || !view.Position.isSet || !view.Target.isSet {
		return nil
	}
	return camera{&view.Position.Vector, &view.Target.Vector, view.FOV}.viewpoint()
}

func spaceViewOf(v *Viewpoint) *spaceView {
	if v == nil {
		return nil
	}
	return &spaceView{v.Position, v.Target, v.FOV}
}

// AnnotationEntities returns the entities of the annotations. Their id is the id of the entity that was written
// as the annotation, or "".
func (s *Settings) AnnotationEntities(f Frame) []Entity {
	var entities []Entity
	for _, a := range s.Annotations {
		entities = append(entities, Entity{ID: a.EntityID, Type: AnnotationType, Data: marshal(struct {
			Title    string     `json:"title"`
			Text     string     `json:"text"`
			Position Vector     `json:"position"`
			Camera   *spaceView `json:"camera,omitempty"`
		}{a.Title, a.Text, f.toSpace(a.Position), spaceViewOf(f.viewToSpace(a.Camera))})})
	}
	return entities
}

// Entities returns the annotations and the tours for a new space, each with an id of newID.
func (s *Settings) Entities(f Frame, newID func() string) []Entity {
	entities := append(s.AnnotationEntities(f), s.TourEntities(f)...)
	for i := range entities {
		entities[i].ID = newID()
	}
	return entities
}

// TourEntities returns the entities of the tracks: tours that pass through their keys. The viewer plays
// only the first track, so only this one starts by itself.
func (s *Settings) TourEntities(f Frame) []Entity {
	var entities []Entity
	for i, track := range s.Tracks {
		entities = append(entities, Entity{Type: TourType, Data: marshal(struct {
			Title    string `json:"title"`
			AutoPlay bool   `json:"autoPlay"`
			Loop     bool   `json:"loop"`
			Stops    []stop `json:"stops"`
		}{track.Name, i == 0 && s.PlaysTrack, track.Loop == loopRepeat || track.Loop == loopPingPong, track.stops(f)})})
	}
	return entities
}

// stops returns the stops of a tour that passes through the keys. Equal keys in a row are a halt.
func (t Track) stops(f Frame) []stop {
	keys := t.Keys
	if t.Loop == loopPingPong {
		for i := len(t.Keys) - 2; i >= 0; i-- {
			keys = append(keys[:len(keys):len(keys)], Key{2*t.Duration - t.Keys[i].At, t.Keys[i].Viewpoint})
		}
	}
	every := (len(keys) + maxStops - 1) / maxStops
	var stops []stop
	var last Key
	for i, key := range keys {
		if i%every != 0 && i != len(keys)-1 {
			continue
		}
		passed := key.At - last.At
		if n := len(stops); n > 0 && key.Viewpoint == last.Viewpoint {
			*stops[n-1].Seconds = min(*stops[n-1].Seconds+passed, maxHalt)
			last = key
			continue
		} else if n > 0 && t.Step {
			*stops[n-1].Seconds, passed = min(*stops[n-1].Seconds+passed, maxHalt), 0
		}
		var halt float64
		if len(stops) == 0 {
			halt, passed = key.At, 0
		}
		halt, passed = milliseconds(halt), milliseconds(min(passed, maxFlight))
		stops = append(stops, stop{Camera: spaceViewOf(f.viewToSpace(&key.Viewpoint)), Seconds: &halt, Flight: &passed})
		last = key
	}
	if n := len(stops); n > 0 && t.Loop != loopPingPong {
		*stops[n-1].Seconds = milliseconds(min(*stops[n-1].Seconds+t.Duration-last.At, maxHalt))
	}
	return stops
}

func milliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// Room returns the data of RoomInfo that the settings change, as JSON: the first view and the look.
func (s *Settings) Room(f Frame) []byte {
	room := s.Look.room()
	if s.Camera != nil {
		start := f.viewToSpace(s.Camera)
		room["start"] = map[string]Vector{"position": start.Position, "target": start.Target}
		if start.FOV != 0 {
			room["cameraFOV"] = clamp(start.FOV, 20, 120)
		}
	}
	return marshal(room)
}

// FromSpace returns the settings of a space. The captures are at their frame; start is the first view in
// the coordinates of the viewer, for a space that has none of its own, or nil.
func FromSpace(entities []Entity, f Frame, start *Viewpoint) *Settings {
	s := &Settings{Camera: start}
	views := map[string]*Viewpoint{}
	var room map[string]json.RawMessage
	var fov float64
	for _, e := range entities {
		switch e.Type {
		case AnnotationType:
			s.addAnnotation(e, f, views)
		default:
			if e.ID != roomInfo || json.Unmarshal(e.Data, &room) != nil {
				continue
			}
			s.Look = lookOf(room)
			if own := readView(room["start"]); own != nil {
				s.Camera = f.viewToViewer(own)
			}
			if json.Unmarshal(room["cameraFOV"], &fov) != nil || fov < minFOV || fov > maxFOV {
				fov = 0
			}
		}
	}
	if s.Camera != nil && fov != 0 {
		s.Camera.FOV = fov
	}
	for _, e := range entities {
		switch {
		case e.Type == TourType:
			s.addTour(e, f, views)
		case e.Path != nil:
			s.addPath(e, f)
		}
	}
	return s
}

// addAnnotation adds an annotation, and the view that it opens with to the views by id.
func (s *Settings) addAnnotation(e Entity, f Frame, views map[string]*Viewpoint) {
	var data struct {
		Title, Text string
		Position    vector
		Camera      json.RawMessage
		Hidden      bool
	}
	if json.Unmarshal(e.Data, &data) != nil || !data.Position.isSet || data.Hidden {
		return
	}
	view := f.viewToViewer(readView(data.Camera))
	views[e.ID] = view
	s.Annotations = append(s.Annotations, Annotation{f.toViewer(data.Position.Vector), data.Title, data.Text, view, e.ID})
}

// addTour adds a tour as a track.
func (s *Settings) addTour(e Entity, f Frame, views map[string]*Viewpoint) {
	var data struct {
		Title                  string
		AutoPlay, Loop, Hidden bool
		Stops                  []struct {
			Annotation      string
			Camera          json.RawMessage
			Seconds, Flight *float64
		}
	}
	if json.Unmarshal(e.Data, &data) != nil || data.Hidden {
		return
	}
	track := Track{Name: data.Title, Loop: loopNone}
	if data.Loop {
		track.Loop = loopRepeat
	}
	for _, stop := range data.Stops[:min(len(data.Stops), maxStops)] {
		view := f.viewToViewer(readView(stop.Camera))
		if view == nil {
			view = views[stop.Annotation]
		}
		if view == nil {
			continue
		}
		if len(track.Keys) > 0 {
			track.Duration += seconds(stop.Flight, flyByRule, maxFlight)
		}
		track.Keys = append(track.Keys, Key{track.Duration, *view})
		if halt := seconds(stop.Seconds, haltByRule, maxHalt); halt > 0 {
			track.Duration += halt
			track.Keys = append(track.Keys, Key{track.Duration, *view})
		}
	}
	if len(track.Keys) == 0 {
		return
	}
	s.addTrack(track, data.AutoPlay)
}

// addTrack adds a track. The first one that starts by itself is the first track.
func (s *Settings) addTrack(track Track, autoPlay bool) {
	if autoPlay && !s.PlaysTrack {
		s.Tracks, s.PlaysTrack = append([]Track{track}, s.Tracks...), true
		return
	}
	s.Tracks = append(s.Tracks, track)
}

func seconds(value *float64, otherwise, maximum float64) float64 {
	if value == nil {
		return otherwise
	}
	return clamp(*value, 0, maximum)
}

func marshal(v any) []byte {
	content, err := json.Marshal(v)
	if err != nil {
		panic("experience: " + err.Error()) // its numbers are finite
	}
	return content
}

// MergeTour returns the data of an imported tour that replaces a present one. Where both have the same
// number of stops, these keep what the format cannot say: annotations, texts and narration.
func MergeTour(present, imported []byte) []byte {
	type fields = map[string]json.RawMessage
	var before struct{ Stops []fields }
	var after fields
	var stops []fields
	if json.Unmarshal(present, &before) != nil || json.Unmarshal(imported, &after) != nil || json.Unmarshal(after["stops"], &stops) != nil ||
		len(before.Stops) != len(stops) {
		return imported
	}
	for i, stop := range stops {
		for name, value := range before.Stops[i] {
			if _, isSet := stop[name]; !isSet {
				stop[name] = value
			}
		}
	}
	after["stops"] = marshal(stops)
	return marshal(after)
}
