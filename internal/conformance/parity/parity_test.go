package parity

import (
	"slices"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"

	"github.com/google/go-cmp/cmp"
)

type doorKind struct {
	name string
	open func(*api.Client) door
	// lacks are the operations that the door does not have, by the name that their rows start with. A
	// row of any other operation must have a response.
	lacks []string
}

// lacksRow reports whether the door does not have the operation of the row.
func (k doorKind) lacksRow(name string) bool {
	return slices.ContainsFunc(k.lacks, func(operation string) bool { return isAbout(name, operation) })
}

// doors are the ways to the core that must give the same responses.
var doors = []doorKind{
	{
		// REST converts only what is uploaded.
		name: "REST", open: func(c *api.Client) door { return restDoor{c} },
		lacks: []string{"convert file"},
	},
	{name: "GraphQL", open: func(c *api.Client) door { return graphDoor{c} }},
	{
		// An agent sends a file with one call, or has the server fetch it. It lists no files and deletes
		// none, and it has no avatar.
		name: "MCP", open: func(c *api.Client) door { return mcpDoor{c} },
		lacks: []string{"files", "delete file", "create upload", "complete upload", "create avatar", "avatars", "delete avatar"},
	},
}

// isAbout reports whether a row is about an operation: its name starts with the operation's words.
func isAbout(name, operation string) bool { return strings.HasPrefix(name+" ", operation+" ") }

// row is an operation, or a way in which it is refused.
type row struct {
	name string
	run  func(p pair) (any, error)
}

// rows returns a row for every operation and every reason to refuse it.
func rows() []row {
	return slices.Concat(fileRows(), avatarRows(), uploadRows(), jobRows(), newSpaceRows(), spaceRows(), entityRows(), spaceFileRows(), lockRows(), historyRows(), screenshotRows(), signedOutRows())
}

func TestMain(m *testing.M) { postgres.Main(m) }

// newWorld starts a server in this process and a worker beside it.
func newWorld(t *testing.T) world.World {
	t.Helper()
	w := world.Start(t, "--max-file-size=5MB")
	w.StartWorker(t)
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestParity(t *testing.T) {
	t.Parallel()
	p := newWorld(t)
	for i, row := range rows() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var first, firstDoor string // of the doors that have the operation
			for j, door := range doors {
				got := neutral(t, row.run)(newPair(t, p, i*len(doors)+j, door.open))
				if lacks := door.lacksRow(row.name); lacks != (got == "") {
					t.Errorf("%s: got the response %q, want one unless the door lacks the operation (%t)", door.name, got, lacks)
				}
				if first == "" {
					first, firstDoor = got, door.name
				} else if diff := cmp.Diff(first, got); diff != "" && got != "" {
					t.Errorf("%s responds differently from %s (-%[2]s +%[1]s):\n%[3]s", door.name, firstDoor, diff)
				}
			}
		})
	}
}
