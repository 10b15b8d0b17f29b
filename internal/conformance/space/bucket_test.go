package space_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/s3"
)

// The browser loads the files from a bucket that everyone may read, and from a private one, to
// which the server redirects. The owner uploads a file to each bucket in the page.
func TestBucket_serves_the_files_of_visited_spaces(t *testing.T) { //nolint:paralleltest // it sets variables that the bucket's keys come by
	browser.New(t, browser.Options{Name: "space", Scripts: "node"}) // skips the test without a browser
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	gateway := s3.Start(t)
	for name, test := range map[string]struct {
		bucket string
		flags  []string
	}{
		"which everyone may read": {gateway.Bucket(t), nil},
		"which is private":        {gateway.PrivateBucket(t), []string{"--files-access=protected"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, append(test.flags, "--storage-url=s3://"+test.bucket+"?endpoint="+gateway.Endpoint)...)
			space := s.newSpace("In a bucket", "infinite", "")
			room := s.upload("room.ply", newRoom())
			s.put(space, at("cube", s.upload("cube.glb", newCube()), 2, 1.5, -2))
			s.put(space, at("picture", s.upload("picture.png", newPicture()), -2, 1.5, -2))
			s.put(space, at("plugin", s.upload("friendly.mjs", []byte(friendlyPlugin)), 0, 1.5, 50))
			s.put(space, at("room", room, 0, 0, 100))
			s.awaitCapture(room)
			s.visit(t, "bucket.mjs", map[string]any{
				"space": space, "bucket": gateway.Endpoint, "picture": base64.StdEncoding.EncodeToString(newPicture()),
			})
			s.visitFolder(t, map[string]any{"bucket": gateway.Endpoint})
		})
	}
}
