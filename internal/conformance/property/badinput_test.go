package property

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkEvery is the number of requests between two checks of the other user's things.
const checkEvery = 250

// prober sends bad requests to one endpoint.
type prober struct {
	*scene
	sent  int
	judge judge
}

func newProber(tb testing.TB, s *server, j judge) *prober {
	tb.Helper()
	return &prober{scene: s.scene(tb), judge: j}
}

// probe sends a request and restores what it has deleted, so that the next request has
// something to work on.
func (p *prober) probe(q request) (status int, err error) {
	a, err := p.try(q, p.judge)
	if err == nil && p.stolen(q, a) {
		err = fmt.Errorf("bytes got in that were not promised: %v", p.fill(q))
	}
	if err != nil {
		return a.status, err
	}
	if p.sent++; p.sent%checkEvery == 0 {
		if err := p.checkUntouched(); err != nil {
			return a.status, err
		}
		return a.status, p.restock(furniture[:ownSpaces])
	}
	return a.status, p.replace(q, a)
}

// replace creates again what the request has deleted.
func (p *prober) replace(q request, got response) error {
	deleted := got.status == 200 && (q.method == "DELETE" || strings.Contains(q.body, "delete"))
	if !deleted {
		return nil
	}
	some := furniture[:ownSpaces]
	switch {
	case strings.Contains(q.target, "/entities/"):
		some = furniture[firstEntity:firstCursor]
	case q.method == "DELETE":
		some = furniture[secondSpace:firstEntity]
	}
	// Its surroundings may be deleted as well.
	if p.restock(some) != nil {
		return p.restock(furniture[:ownSpaces])
	}
	return nil
}

// stolen reports whether the server took an upload that was not promised to the caller.
func (p *prober) stolen(q request, got response) bool {
	q = p.fill(q)
	if !strings.Contains(q.target, "/files/") || q.method != "PUT" || got.status/100 != 2 {
		return false
	}
	return len(q.body) != 10 || strings.Contains(q.target, p.users[1].id)
}

// Every run sends the same mutated requests, except for names that the server chooses.
func TestBadInput_causes_no_internal_error(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, e := range endpoints {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p := newProber(t, s, e.judge)
			hash := fnv.New64a()
			_, _ = hash.Write([]byte(e.name)) // a hash never fails
			var good []string
			if e.name == "GraphQL" {
				good = graphQLBodies()
			}
			statuses, failures := map[int]int{}, 0
			for i := range badRequests(testing.Short()) {
				m := mutator{rand.New(rand.NewPCG(hash.Sum64(), uint64(i)))}
				status, err := p.probe(m.mutate(e, good))
				statuses[status]++
				if err == nil {
					continue
				}
				t.Errorf("request %d: %v", i, err)
				if failures++; failures == 5 {
					t.FailNow()
				}
			}
			if err := p.checkUntouched(); err != nil {
				t.Error(err)
			}
			t.Logf("responses by status, 0 for requests that net/http refuses: %v", statuses)
			if len(statuses) < 3 {
				t.Errorf("statuses: got %v, want more kinds of responses", statuses)
			}
		})
	}
}

// badRequests is the number of requests for each endpoint.
func badRequests(short bool) int {
	if short {
		return 100
	}
	return 1000
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// TestSecret_is_seen checks that the test notices a response with the secret.
func TestSecret_is_seen(t *testing.T) {
	t.Parallel()
	sc := newServer(t).scene(t)
	for _, path := range []string{"/v1/spaces", "/v1/files", "/v1/spaces/@s3@/entities", "/v1/user/me"} {
		q := request{method: "GET", target: path, key: sc.users[1].key}
		if _, err := sc.try(q, judgeREST); err == nil {
			t.Errorf("GET %s by its owner: got no error, want one about the secret", path)
		}
	}
}
