package model

import (
	"math"
	"strings"
	"testing"
)

func TestVisitorName_keeps_what_is_visible_and_refuses_long_names(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want string }{
		{"", ""},
		{"  \t\n ", ""},
		{"Ada", "Ada"},
		{"  Ada \n Lovelace\u00a0 ", "Ada Lovelace"},
		{"Zoë 李小龍 Zoe\u0308", "Zoë 李小龍 Zoe\u0308"},
		{"a\u202egnp.exe\u202c", "agnp.exe"},                         // right-to-left override
		{"\u2066a\u2069\u200e\u200f\u061c", "a"},                     // isolates and marks of direction
		{"a\u200b\u200d\ufeff\u00adb", "ab"},                         // invisible
		{"\u3164\u2800\u115f\u1160\uffa0\u034f", ""},                 // letters that show nothing
		{"a\x1b[31mb\x07", "a[31mb"},                                 // control characters
		{"a\ue000\U000e0041b", "ab"},                                 // private use, tags
		{"Z" + strings.Repeat("\u0301", 30) + "o", "Z\u0301\u0301o"}, // a tower of accents
		{strings.Repeat("é", 40), strings.Repeat("é", 40)},
	} {
		got, err := JoinSpace{Name: &test.name}.VisitorName()
		if err != nil {
			t.Errorf("%q: got %v, want no error", test.name, err)
			continue
		}
		text := ""
		if got != nil {
			text = *got
		}
		if text != test.want {
			t.Errorf("%q: got %q, want %q", test.name, text, test.want)
		}
	}
	for _, name := range []string{strings.Repeat("é", 41), strings.Repeat("x", 1<<20), "\xff", "a\x00"} {
		if _, err := (JoinSpace{Name: &name}).VisitorName(); CodeOf(err) != CodeInvalid {
			t.Errorf("%.50q: got %v, want it refused", name, err)
		}
	}
	if name, err := (JoinSpace{}).VisitorName(); name != nil || err != nil {
		t.Errorf("no name: got %v, %v, want none", name, err)
	}
}

func TestMoveInSpace_refuses_numbers_that_are_not_a_place(t *testing.T) {
	t.Parallel()
	nan, infinite := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		field      string
		position   []float64
		yaw, pitch float64
	}{
		{"", []float64{0, 1.6, -100_000}, 360, -90},
		{"position", nil, 0, 0},
		{"position", []float64{1, 2}, 0, 0},
		{"position", []float64{1, 2, 3, 4}, 0, 0},
		{"position", []float64{nan, 0, 0}, 0, 0},
		{"position", []float64{0, infinite, 0}, 0, 0},
		{"position", []float64{0, 0, -1e308}, 0, 0},
		{"position", []float64{0, 0, 100_001}, 0, 0},
		{"yaw", []float64{0, 0, 0}, nan, 0},
		{"yaw", []float64{0, 0, 0}, -361, 0},
		{"pitch", []float64{0, 0, 0}, 0, 91},
		{"pitch", []float64{0, 0, 0}, 0, nan},
	} {
		err := MoveInSpace{Pose: Pose{Position: test.position, Yaw: test.yaw, Pitch: test.pitch}}.Validate()
		field := ""
		if err != nil {
			field = AsError(err).Field
		}
		if field != test.field {
			t.Errorf("%v, yaw %v, pitch %v: got field %q, want %q", test.position, test.yaw, test.pitch, field, test.field)
		}
	}
}

func TestPose_is_rounded(t *testing.T) {
	t.Parallel()
	got := Pose{Position: []float64{1.23456, -0.001, -7.899}, Yaw: 12.6, Pitch: -0.2}.Rounded()
	want := Pose{Position: []float64{1.23, 0, -7.9}, Yaw: 13}
	for i := range want.Position {
		if got.Position[i] != want.Position[i] || math.Signbit(got.Position[1]) {
			t.Errorf("position: got %v, want %v", got.Position, want.Position)
		}
	}
	if got.Yaw != want.Yaw || got.Pitch != want.Pitch || math.Signbit(got.Pitch) {
		t.Errorf("look: got %v and %v, want %v and %v", got.Yaw, got.Pitch, want.Yaw, want.Pitch)
	}
}
