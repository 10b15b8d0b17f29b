package experience

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testdata/settings.json was checked with validateSettings of the viewer's package, as are the
// settings that TestWrite_keeps_what_was_read writes.
func readFile(t *testing.T, name string) *Settings {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(content)
	if err != nil {
		t.Fatalf("Read(%s): %v", name, err)
	}
	return s
}

// Settings go into a space, whatever its capture's place, and come out as they were.
func TestSettings_return_from_a_space(t *testing.T) {
	t.Parallel()
	want := readFile(t, "settings.json")
	for name, data := range map[string]string{
		"as the viewer":   `{"position":[0,0,0],"rotation":{"x":0,"y":0,"z":180},"scale":[1,1,1]}`,
		"without a place": `null`,
		"moved":           `{"position":{"x":3,"y":-1,"z":0.5},"rotation":[20,-40,170],"scale":[2,2,2]}`,
		"squeezed":        `{"position":[1,2,3],"rotation":[0,0,0],"scale":[1,0.5,3]}`,
	} {
		frame := FrameOf([]byte(data))
		entities := []Entity{{ID: "RoomInfo", Type: "Simple", Data: want.Room(frame)}}
		for i, e := range want.AnnotationEntities(frame) {
			e.ID = want.Annotations[i].EntityID
			entities = append(entities, e)
		}
		entities = append(entities, want.TourEntities(frame)...)
		got := FromSpace(entities, frame, nil)
		got.Look.highPrecisionRenders = want.Look.highPrecisionRenders
		if diff := cmp.Diff(string(want.Write()), string(got.Write())); name == "as the viewer" && diff != "" {
			t.Errorf("%s: (-read +from the space)\n%s", name, diff)
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-4 })
		if diff := cmp.Diff(want.Annotations, got.Annotations, near); diff != "" {
			t.Errorf("%s: annotations (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(want.Camera, got.Camera, near); diff != "" {
			t.Errorf("%s: camera (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(want.Tracks, got.Tracks, near); diff != "" {
			t.Errorf("%s: tracks (-want +got)\n%s", name, diff)
		}
	}
}

// A capture that is not turned stands on its head in the viewer: what is left and below there is right
// and above in the space.
func TestFrame_of_a_capture_that_is_not_turned(t *testing.T) {
	t.Parallel()
	frame := FrameOf([]byte(`{"position":[10,0,0],"rotation":[0,0,0]}`))
	if got, want := frame.toSpace(Vector{1, 2, 3}), (Vector{9, -2, 3}); got != want {
		t.Errorf("toSpace: got %v, want %v", got, want)
	}
	if got, want := frame.toViewer(Vector{9, -2, 3}), (Vector{1, 2, 3}); got != want {
		t.Errorf("toViewer: got %v, want %v", got, want)
	}
}

func TestWrite_keeps_what_was_read(t *testing.T) {
	t.Parallel()
	s := readFile(t, "settings.json")
	again, err := Read(s.Write())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again, cmp.AllowUnexported(Look{})); diff != "" {
		t.Errorf("(-read +read again)\n%s", diff)
	}
}

// Version 1 has times in seconds unless it has a rate.
func TestRead_of_version_1(t *testing.T) {
	t.Parallel()
	s := readFile(t, "version1.json")
	if s.Camera == nil || s.Camera.Position != (Vector{0, 1, 5}) || s.Camera.FOV != 60 || !s.PlaysTrack {
		t.Errorf("got %+v, want the camera and its animation", s)
	}
	if len(s.Tracks) != 1 || s.Tracks[0].Keys[1].At != 2.5 || s.Tracks[0].Duration != 4 || s.Look.Background != "#666666" {
		t.Errorf("got %+v, want a key after 2.5 of 4 seconds", s)
	}
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                           "wrong type",
		`x`:                            "not a JSON object",
		`{"a":1}`:                      "not settings of SuperSplat",
		`{"version":3}`:                "version 3",
		`{"version":2,"cameras":1}`:    "wrong type at cameras",
		`{"version":2,"cameras":null}`: "",
		`{"version":2,"annotations":[{"position":[1e9,0,0]}]}`:                                                                   "annotation 1",
		`{"version":2,"annotations":[` + strings.Repeat(`{},`, 500) + `{}]}`:                                                     "500 annotations",
		`{"version":2,"animTracks":[{"keyframes":{"times":[1],"values":{"position":[1],"target":[1]}}}]}`:                        "animTrack 1",
		`{"version":2,"animTracks":[{"frameRate":-1,"keyframes":{"times":[1],"values":{"position":[1,1,1],"target":[0,0,0]}}}]}`: "frameRate",
		`{"version":2,"animTracks":[{"keyframes":{"times":[2,1],"values":{"position":[1,1,1,1,1,1],"target":[0,0,0,0,0,0]}}}]}`:  "ascend",
		strings.Repeat(" ", MaxBytes+1): "bytes",
	} {
		_, err := Read([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("Read(%.60s): got %v, want %q", text, err, want)
		}
	}
}

// What is written keeps the limits of the format.
func TestWrite_keeps_the_limits_of_the_format(t *testing.T) {
	t.Parallel()
	s := &Settings{}
	for range 40 {
		s.Annotations = append(s.Annotations, Annotation{Title: strings.Repeat("😀", 50), Text: strings.Repeat("é", 300)})
		track := Track{Name: strings.Repeat("n", 200)}
		for i := range 1500 {
			track.Keys = append(track.Keys, Key{float64(i), Viewpoint{Target: Vector{float64(i), 0, 1}}})
		}
		s.Tracks = append(s.Tracks, track)
	}
	var d document
	if err := json.Unmarshal(s.Write(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Annotations) != 25 || len([]rune(d.Annotations[0].Title)) != 30 || len([]rune(d.Annotations[0].Text)) != 280 {
		t.Errorf("annotations: got %d, with %q", len(d.Annotations), d.Annotations[0].Title)
	}
	if len(d.AnimTracks) != 10 || len(d.AnimTracks[0].Keyframes.Times) > 1000 || d.AnimTracks[0].Keyframes.Times[0] != 0 ||
		d.AnimTracks[0].Duration < minDuration || len(d.AnimTracks[0].Name) != 120 {
		t.Errorf("tracks: got %d, the first with %d keys", len(d.AnimTracks), len(d.AnimTracks[0].Keyframes.Times))
	}
}

// A tour that replaces itself keeps what the format cannot say.
func TestMergeTour_keeps_annotations_and_narration(t *testing.T) {
	t.Parallel()
	present := `{"stops":[{"annotation":"a","soundURL":"s","seconds":1},{"camera":{"position":[0,0,0]},"title":"b"}]}`
	got := string(MergeTour([]byte(present), []byte(`{"loop":true,"stops":[{"seconds":2},{"seconds":3}]}`)))
	want := `{"loop":true,"stops":[{"annotation":"a","seconds":2,"soundURL":"s"},{"camera":{"position":[0,0,0]},"seconds":3,"title":"b"}]}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := `{"stops":[{"seconds":2}]}`
	if got := string(MergeTour([]byte(present), []byte(other))); got != other {
		t.Errorf("another number of stops: got %s, want the imported tour", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"settings.json", "version1.json"} {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, `{"rotation":[1,2,3]}`)
	}
	f.Fuzz(func(t *testing.T, content []byte, data string) {
		s, err := Read(content)
		if err != nil {
			return
		}
		frame := FrameOf([]byte(data))
		entities := append(s.AnnotationEntities(frame), s.TourEntities(frame)...)
		entities = append(entities, Entity{ID: "RoomInfo", Type: "Simple", Data: s.Room(frame)})
		if _, err := Read(FromSpace(entities, frame, nil).Write()); err != nil {
			t.Errorf("what was written: %v", err)
		}
	})
}
