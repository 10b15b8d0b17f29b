package parity

import (
	"slices"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"

	"github.com/google/go-cmp/cmp"
)

// doors are the ways to the core that must give the same answers.
var doors = []struct {
	name string
	open func(*api.Client) door
}{
	{"REST", func(c *api.Client) door { return restDoor{c} }},
	{"GraphQL", func(c *api.Client) door { return graphDoor{c} }},
	{"MCP", func(c *api.Client) door { return mcpDoor{c} }},
}

// row is an operation, or a way in which it is refused.
type row struct {
	name string
	run  func(p pair) (any, error)
}

// rows returns a row for every operation and every reason to refuse it.
func rows() []row {
	return slices.Concat(fileRows(), uploadRows(), jobRows(), newSpaceRows(), spaceRows(), entityRows(), workspaceRows(), lockRows(), historyRows(), screenshotRows(), signedOutRows())
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
			var first string
			for j, door := range doors {
				got := neutral(t, row.run)(newPair(t, p, i*len(doors)+j, door.open))
				if got == "" { // the door has no such operation
					continue
				}
				if j == 0 {
					first = got
				} else if diff := cmp.Diff(first, got); diff != "" {
					t.Errorf("%s answers otherwise than %s (-%[2]s +%[1]s):\n%s", door.name, doors[0].name, diff)
				}
			}
		})
	}
}
