package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewFilePut(t *testing.T) {
	t.Parallel()
	const either = "The file needs either its content or the key of an uploaded file"
	text, key, empty := "aGk=", "wood.png", ""
	for _, test := range []struct {
		name     string
		content  *string
		isBase64 bool
		key      *string
		want     FilePut
		fault    string
	}{
		{"text", &text, false, nil, FilePut{Content: []byte("aGk=")}, ""},
		{"base64", &text, true, nil, FilePut{Content: []byte("hi")}, ""},
		{"an empty file", &empty, false, nil, FilePut{Content: []byte{}}, ""},
		{"an uploaded file", nil, false, &key, FilePut{ResourceKey: "wood.png"}, ""},
		{"no base64", &key, true, nil, FilePut{Content: []byte{}}, "The content is not base64"},
		{"neither", nil, false, nil, FilePut{}, either},
		{"an empty key", nil, false, &empty, FilePut{}, either},
		{"both", &text, false, &key, FilePut{}, either},
	} {
		var faults ChangeFaults
		got := faults.NewFilePut("space/assets/a", test.content, test.isBase64, test.key)
		if test.fault != "" {
			if diff := cmp.Diff(ChangeFaults{{"space/assets/a", test.fault}}, faults); diff != "" {
				t.Errorf("%s: faults (-want +got):\n%s", test.name, diff)
			}
			continue
		}
		test.want.Path = "space/assets/a"
		if diff := cmp.Diff(test.want, got); diff != "" || faults.Refusal() != nil {
			t.Errorf("%s: got %v (-want +got):\n%s", test.name, faults, diff)
		}
	}
}

// A client learns about many files at once, but a response has a limit.
func TestChangeFaults_are_bounded(t *testing.T) {
	t.Parallel()
	var faults ChangeFaults
	for i := range maxFileFaults + 10 {
		faults.Add(fmt.Sprintf("space/assets/%d\xff", i), "is missing")
	}
	if len(faults) != maxFileFaults {
		t.Errorf("faults: got %d, want %d", len(faults), maxFileFaults)
	}
	if got, want := faults[0].File, "space/assets/0?"; got != want {
		t.Errorf("file: got %q, want %q, which is valid UTF-8", got, want)
	}
}

func TestChangeSet_refusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		refusal error
		code    Code
		message string
	}{
		{ChangeFaults{{"a", "is bad"}, {"b", "is worse"}}.Refusal(), CodeInvalidFiles, "a: is bad; b: is worse"},
		{
			PlannedDeletes{"chair", "door"}.Refusal(), CodeConflict,
			"The archive lacks entities of the space, and would delete them (2): send force=1 to do so",
		},
		{FileConflicts{"space/room.json", "a"}.Refusal(), CodeConflict, "The space has changed since it was read: space/room.json, a"},
	} {
		if got := AsError(test.refusal); got.Code != test.code || got.Message != test.message {
			t.Errorf("got %s %q, want %s %q", got.Code, got.Message, test.code, test.message)
		}
	}
	if err := (FileConflicts{}).Refusal(); err != nil {
		t.Errorf("no conflicts: got %v, want nil", err)
	}
}
