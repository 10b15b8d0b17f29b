package model

import (
	"fmt"
	"strings"
	"testing"
)

func TestFile_Preparation(t *testing.T) {
	t.Parallel()
	const drawn = "poster ready: The poster was drawn"
	for _, test := range []struct {
		name string
		file File
		want string
	}{
		{"before it is inspected", File{}, "facts pending: The file is being inspected"},
		{"that cannot be inspected", File{Failures: Failures{StepFacts: "Internal server error"}}, "facts failed: Internal server error"},
		{"of a model", File{Facts: &FileFacts{Format: FormatGLB}}, "facts ready: The file was inspected"},
		{"that is damaged", File{Facts: &FileFacts{Format: FormatInvalid, Splats: 1}}, "facts ready: The file was inspected"},
		{
			"of an image", File{Facts: &FileFacts{Format: FormatPNG}},
			"facts ready: The file was inspected; poster pending: The poster is being drawn",
		},
		{
			"of a capture", File{Facts: &FileFacts{Format: FormatPLY, Splats: 1}, Posters: &Posters{}, Failures: Failures{StepCollision: QuotaExceeded, StepPoster: "earlier"}},
			"facts ready: The file was inspected; " + drawn + "; view pending: The levels of detail are being made; collision failed: Storage quota exceeded",
		},
		{
			"of a capture that viewers load as it is", File{Facts: &FileFacts{Format: FormatStreamedSOG, Splats: 1}, Posters: &Posters{}, CollisionKey: "c"},
			"facts ready: The file was inspected; " + drawn + "; collision ready: The walkable floor was made",
		},
		{
			"whose start was found after its poster",
			File{Facts: &FileFacts{Format: FormatSPZ, Splats: 1}, Posters: &Posters{}, ViewKey: "v", CollisionKey: "c", Start: &Start{Scene: SceneIndoor, Up: [3]float64{0, 1, 0}}},
			"facts ready: The file was inspected; poster pending: The poster is being drawn; view ready: The levels of detail were made; collision ready: The walkable floor was made",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var steps []string
			for _, step := range test.file.Preparation() {
				steps = append(steps, fmt.Sprintf("%s %s: %s", step.Step, step.State, step.Message))
			}
			if got := strings.Join(steps, "; "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFile_PosterView(t *testing.T) {
	t.Parallel()
	up, down := [3]float64{0, 1, 0}, [3]float64{0, -1, 0}
	capture := &FileFacts{Format: FormatPLY, Splats: 1}
	for _, test := range []struct {
		name string
		file File
		want bool // of a view, and not the whole subject
	}{
		{"before a start is found", File{Facts: capture}, false},
		{"of a place", File{Facts: capture, Start: &Start{Scene: SceneOutdoor, Up: up}}, true},
		{"of an object", File{Facts: capture, Start: &Start{Scene: SceneObject, Up: up, Certainty: 0.4}}, true},
		{"of an object that an earlier version turned upside down", File{Facts: capture, Start: &Start{Scene: SceneObject, Up: down}}, false},
		{"that the owner chose", File{Facts: capture, Start: &Start{Scene: SceneObject, Up: up}, OwnStart: &Viewpoint{}}, true},
		{"of a model", File{Facts: &FileFacts{Format: FormatGLB}, OwnStart: &Viewpoint{}}, false},
		{"of what was not inspected", File{OwnStart: &Viewpoint{}}, false},
	} {
		if got := test.file.PosterView() != nil; got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
