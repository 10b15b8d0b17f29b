package door

import (
	"context"
	"testing"
)

func TestWithoutSignature_removes_only_a_signature(t *testing.T) {
	t.Parallel()
	const room = "12345678/api_uploads/abc_room/data/0 1.sog"
	a, err := New(Address{}, Options{
		Shown: func(context.Context, string) (bool, error) { return false, nil }, Secret: []byte("a secret for the tests alone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(key string) string {
		folder, err := a.sign(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	for path, want := range map[string]string{
		"/files/" + sign(room) + room: "/files/" + room,
		"/files/" + room:              "/files/" + room,
		"/files/~1~x/a.ply":           "/files/~1~x/a.ply",
		"/" + sign("a") + "a":         "/a",
	} {
		if got := WithoutSignature(path); got != want {
			t.Errorf("WithoutSignature(%q): got %q, want %q", path, got, want)
		}
	}
}
