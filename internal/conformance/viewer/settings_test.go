package viewer_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
	"portico/splat/experience"
)

// checkedSettings is what the viewer's package says of a file, or one of its own files.
type checkedSettings struct {
	Name, Problem string
	Settings      json.RawMessage
}

// checkSettings validates settings with the viewer's package, and returns the package's own ones.
func checkSettings(t *testing.T, scripts *browser.Scripts, files map[string]json.RawMessage) map[string][]byte {
	t.Helper()
	input, err := json.Marshal(files)
	check(t, err)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "settings.mjs", Input: input})
	if err != nil {
		t.Fatalf("settings.mjs: got %v\n%s", err, out.Stderr)
	}
	own := map[string][]byte{}
	for _, line := range browser.Lines[checkedSettings](t, out) {
		if line.Problem != "" {
			t.Errorf("%s: the viewer refuses what was written: %s\n%s", line.Name, line.Problem, files[line.Name])
		}
		if line.Settings != nil {
			own[line.Name] = line.Settings
		}
	}
	return own
}

// Settings that the viewer's own package writes go into a space, come out again, and are valid for the
// package. So are those of a space with more than the format has room for.
func TestSettings_are_valid_for_the_viewer_after_a_round_trip(t *testing.T) {
	t.Parallel()
	scripts := browser.NewWithout(t, browser.Options{Name: "viewer", Scripts: "node"})
	own := checkSettings(t, scripts, nil)
	if len(own) != 2 {
		t.Fatalf("got %d default settings of the viewer, want 2", len(own))
	}
	for _, name := range []string{"settings.json", "version1.json"} {
		content, err := os.ReadFile("../../../splat/experience/testdata/" + name)
		check(t, err)
		own[name] = content
	}
	written := map[string]json.RawMessage{}
	for name, content := range own {
		for place, data := range map[string]string{"as it is": "null", "moved": `{"position":[3,-1,0.5],"rotation":[20,-40,170],"scale":[2,2,2]}`} {
			written[name+" "+place] = roundTrip(t, content, experience.FrameOf([]byte(data)))
		}
	}
	written["a full space"] = experience.FromSpace(fullSpace(), experience.Frame{}, nil).Write()
	written["an empty space"] = experience.FromSpace(nil, experience.Frame{}, nil).Write()
	checkSettings(t, scripts, written)
}

// roundTrip returns the settings of a space that was made of settings.
func roundTrip(t *testing.T, content []byte, frame experience.Frame) []byte {
	t.Helper()
	settings, err := experience.Read(content)
	check(t, err)
	entities := []experience.Entity{{ID: "RoomInfo", Type: "Simple", Data: settings.Room(frame)}}
	entities = append(entities, settings.Entities(frame, func() string { return "new" })...)
	return experience.FromSpace(entities, frame, nil).Write()
}

// fullSpace returns more annotations, tours and paths than settings have room for, with long texts and
// values out of range.
func fullSpace() []experience.Entity {
	long := strings.Repeat("ä🙂", 300)
	path := `{"data":{"fps":24,"entities":{"main-camera":{"position":{"keyframes":[` +
		`{"frameNumber":0,"keyframeData":{"x":0,"y":1.6,"z":6}},{"frameNumber":240000,"keyframeData":{"x":3,"y":1.6,"z":6}}]},` +
		`"fov":{"keyframes":[{"frameNumber":0,"keyframeData":500}]}}}}}`
	entities := []experience.Entity{{ID: "RoomInfo", Data: []byte(
		`{"cameraFOV":5,"backgroundColor":"#zzzzzz","framePosteffectParams":{"brightness":9,"saturation":-4,"sharpness":7,"bloomEnabled":true,"bloomIntensity":40,"bloomBlurLevel":99},"vignette":{"intensity":3,"inner":9,"outer":-1,"curvature":0}}`)}}
	for range 30 {
		entities = append(entities,
			experience.Entity{Type: experience.AnnotationType, Data: []byte(`{"title":"` + long + `","text":"` + long + `","position":[1,2,3]}`)},
			experience.Entity{Type: experience.TourType, Data: []byte(`{"title":"` + long + `","autoPlay":true,"stops":[{"camera":{"position":[0,1,2],"target":[0,1,0],"fov":500},"seconds":1e9,"flight":-1},{"camera":{"position":[0,1,2],"target":[0,1,1]}}]}`)},
			experience.Entity{Type: "UserModelEntity", Data: []byte(`{"displayName":"` + long + `"}`), Path: []byte(path)})
	}
	return entities
}
