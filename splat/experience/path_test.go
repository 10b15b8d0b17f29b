package experience

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// flight is a camera path of three keys, a quarter of a turn to the left, and a field of view.
const flight = `{"id":"f","name":"In the file","data":{"fps":30,"entities":{"main-camera":{
	"position":{"type":"vec3","keyframes":[
		{"id":"c","frameNumber":90,"keyframeData":{"x":4,"y":1.6,"z":0}},
		{"id":"a","frameNumber":0,"keyframeData":{"x":0,"y":1.6,"z":6}},
		{"id":"b","frameNumber":30,"keyframeData":{"x":0,"y":1.6,"z":2}}]},
	"rotation":{"type":"quat","keyframes":[
		{"id":"d","frameNumber":0,"keyframeData":{"x":0,"y":0,"z":0,"w":1}},
		{"id":"e","frameNumber":90,"keyframeData":{"x":0,"y":-0.7071067811865476,"z":0,"w":-0.7071067811865476}}]},
	"fov":{"type":"number","keyframes":[{"id":"g","frameNumber":0,"keyframeData":60}]},
	"brightness":{"type":"number","keyframes":[]}},
	"other":{"position":{"type":"vec3","keyframes":[{"id":"h","frameNumber":900,"keyframeData":{"x":0,"y":0,"z":0}}]}}},"markers":[]}}`

func TestPath_becomes_a_track_that_passes_where_the_path_does(t *testing.T) {
	t.Parallel()
	frame := FrameOf([]byte(`{"position":{"x":3,"y":-1,"z":0.5},"rotation":[20,-40,170],"scale":[2,2,2]}`))
	tour := Entity{ID: "tour", Type: TourType, Data: []byte(`{"title":"Tour","stops":[{"camera":{"position":[0,0,0],"target":[1,0,0]}}]}`)}
	path := Entity{ID: "path", Type: "UserModelEntity", Data: []byte(`{"displayName":"Intro","autoPlay":true,"loop":true}`), Path: []byte(flight)}
	s := FromSpace([]Entity{tour, path}, frame, nil)
	if len(s.Tracks) != 2 || !s.PlaysTrack || s.Tracks[0].Name != "Intro" || s.Tracks[0].Loop != loopRepeat || s.Tracks[0].Duration != 3 {
		t.Fatalf("got %+v, want the path first, which starts by itself", s)
	}
	// The keys of the path, and the middles of its segments by the formula of Catmull-Rom.
	want := map[float64]Vector{0: {0, 1.6, 6}, 0.5: {-0.25, 1.6, 4.125}, 1: {0, 1.6, 2}, 2: {2, 1.6, 0.75}, 3: {4, 1.6, 0}}
	for _, key := range s.Tracks[0].Keys {
		got := frame.viewToSpace(&key.Viewpoint)
		if point, ok := want[key.At]; ok {
			delete(want, key.At)
			if distance(got.Position, point) > 0.001 {
				t.Errorf("position at %g s: got %v, want %v", key.At, got.Position, point)
			}
		}
		if key.FOV != 60 {
			t.Errorf("field of view at %g s: got %g, want 60", key.At, key.FOV)
		}
		// The nlerp of the rotation, whose last key is negated, about y.
		f := key.At / 3
		half := math.Pi / 4
		ease := f * (0.5 + f*(3-1-0.5+f*(0.5+0.5-2)))
		angle := 2 * math.Atan2(ease*math.Sin(half), 1-ease+ease*math.Cos(half))
		ahead := Vector{got.Position[0] - pathTarget*math.Sin(angle), got.Position[1], got.Position[2] - pathTarget*math.Cos(angle)}
		if distance(got.Target, ahead) > pathTarget*0.1*math.Pi/180 {
			t.Errorf("target at %g s: got %v, want %v", key.At, got.Target, ahead)
		}
	}
	if len(want) > 0 {
		t.Errorf("got no keys at %v", want)
	}
	read, err := Read(s.Write())
	if err != nil || len(read.Tracks) != 2 || len(read.Tracks[0].Keys) != len(s.Tracks[0].Keys) {
		t.Errorf("written: got %v, %v", read, err)
	}
}

func distance(a, b Vector) float64 { return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) }

func TestPath_plays_backwards(t *testing.T) {
	t.Parallel()
	s := FromSpace([]Entity{{ID: "path", Data: []byte(`{"reverse":true}`), Path: []byte(flight)}}, Frame{}, nil)
	keys := s.Tracks[0].Keys
	if s.Tracks[0].Name != "In the file" || s.PlaysTrack || keys[0].At != 0 || distance(keys[0].Position, Vector{4, 1.6, 0}) > 1e-6 ||
		keys[len(keys)-1].At != 3 || distance(keys[len(keys)-1].Position, Vector{0, 1.6, 6}) > 1e-6 {
		t.Errorf("got %+v", s.Tracks[0])
	}
}

// A file of any client must not stop the others, nor become more than a track may have.
func TestPath_that_moves_no_camera_is_left_out(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxPathKeys + 1 {
		many = append(many, fmt.Sprintf(`{"frameNumber":%d,"keyframeData":{"x":0,"y":0,"z":0}}`, i))
	}
	camera := func(keys string) string {
		return `{"data":{"entities":{"main-camera":{"position":{"keyframes":[` + keys + `]}}}}}`
	}
	for name, content := range map[string]string{
		"no JSON": "{", "empty": "{}", "null": "null", "disabled": strings.Replace(flight, `"id":"f"`, `"disabled":true`, 1),
		"without keys": camera(""), "without numbers": camera(`{"frameNumber":0,"keyframeData":{"x":"0","y":0,"z":0}}`),
		"too far": camera(`{"frameNumber":0,"keyframeData":{"x":1e300,"y":0,"z":0}}`), "before the start": camera(`{"frameNumber":-1,"keyframeData":{"x":0,"y":0,"z":0}}`),
		"too many keys": camera(strings.Join(many, ",")), "no speed": strings.Replace(flight, `"fps":30`, `"fps":0`, 1),
		"no rotation": strings.Replace(flight, `"z":0,"w":1}`, `"z":0,"w":0}`, 1), "too large": flight + strings.Repeat(" ", MaxPathBytes),
	} {
		if s := FromSpace([]Entity{{Data: []byte(`{}`), Path: []byte(content)}}, Frame{}, nil); len(s.Tracks) != 0 {
			t.Errorf("%s: got %+v, want no track", name, s.Tracks)
		}
	}
	long := camera(`{"frameNumber":0,"keyframeData":{"x":0,"y":0,"z":0}},{"frameNumber":1000000,"keyframeData":{"x":1,"y":0,"z":0}}`)
	s := FromSpace([]Entity{{Data: []byte(`{}`), Path: []byte(long)}}, Frame{}, nil)
	if keys := len(s.Tracks[0].Keys); keys > writtenKeys {
		t.Errorf("a long path: got %d keys, want at most %d", keys, writtenKeys)
	}
	var document struct{ AnimTracks []struct{ Duration float64 } }
	if err := json.Unmarshal(s.Write(), &document); err != nil || document.AnimTracks[0].Duration > maxDuration {
		t.Errorf("a long path: got %+v, %v", document, err)
	}
}
