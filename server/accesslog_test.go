package server

import (
	"testing"

	"portico/model"
)

func TestDoorOf_ignores_the_prefix_and_doubled_slashes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": model.DoorPages, "": model.DoorPages, "/login": model.DoorPages, "/account/key": model.DoorPages,
		"/v1/spaces": model.DoorREST, "/api/v1/spaces": model.DoorREST, "//api//v1//spaces/": model.DoorREST,
		"/v1/mcp": model.DoorMCP, "/api/v1/mcp/": model.DoorMCP, "/graphql": model.DoorGraphQL,
		"/token": model.DoorOAuth, "/api/authorize": model.DoorOAuth,
	} {
		if got := doorOf(path); got != want {
			t.Errorf("door of %q: got %q, want %q", path, got, want)
		}
	}
}
