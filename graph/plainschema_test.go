package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"portico/internal/testkit/race"
	"portico/model"
)

// Random documents get the same responses from plainSchema as from the schema that gqlgen
// generates: the data to the byte, and the errors with their paths, which gqlgen collects in the
// order in which fields end.
func TestPlainSchema_answers_as_the_generated_schema(t *testing.T) {
	t.Parallel()
	documents, workers := 10_000, 4
	if testing.Short() || race.Enabled {
		documents = 500
	}
	w := newWorld(t)
	ids := w.addRows()
	plain := newSchema(w.Resolver)
	options := HandlerOptions{Resolver: w.Resolver, Keys: w.keys}
	handlers := []http.Handler{newHandler(options, plain), newHandler(options, plain.(plainSchema).executableSchema)}
	var withData, withErrors atomic.Int64
	t.Cleanup(func() {
		data, failed := withData.Load(), withErrors.Load()
		t.Logf("%d responses with data, %d with errors", data, failed)
		if !t.Failed() && (data < int64(documents/2) || failed < int64(documents/20)) {
			t.Errorf("responses: got %d with data and %d with errors of %d, want many of both", data, failed, documents)
		}
	})
	for worker := range workers {
		t.Run(fmt.Sprintf("worker %d", worker), func(t *testing.T) {
			t.Parallel()
			g := &documentGenerator{schema: plain.Schema(), random: rand.New(rand.NewPCG(1, uint64(worker))), ids: ids}
			for range documents / workers {
				document := g.document()
				key := []string{w.alice.key, w.alice.key, w.bob.key, ""}[g.random.IntN(4)]
				got, want := respond(t, handlers[0], key, document), respond(t, handlers[1], key, document)
				// An announcement or a time between the two: the pair is asked again.
				for attempt := 0; !got.equals(want) && attempt < 3; attempt++ {
					got, want = respond(t, handlers[0], key, document), respond(t, handlers[1], key, document)
				}
				if !got.equals(want) {
					t.Fatalf("response: got\n%s\nwant\n%s\nto %s", got, want, document)
				}
				if len(got.Data) > 0 && !bytes.Equal(got.Data, []byte("null")) {
					withData.Add(1)
				}
				if len(got.Errors) > 0 {
					withErrors.Add(1)
				}
			}
		})
	}
}

// addRows gives alice something of each kind, and returns the ids of all.
func (w *world) addRows() (ids []string) {
	w.t.Helper()
	w.makeRoom()
	ids = []string{w.alice.id, w.bob.id, "none", "", "User:" + w.alice.id}
	for i := range 3 {
		space := w.space(w.alice, model.SpaceHub)
		privacy := []model.Privacy{model.Private, model.LinkOnly, model.Public}[i]
		_, err := w.Mutation().UpdateSpacePrivacy(w.alice.ctx, model.UpdateSpacePrivacy{SpaceID: space.ID, Privacy: privacy})
		check(w.t, err)
		ids = append(ids, space.ID, space.ID+"/"+model.RoomInfoID, model.RoomInfoID)
		for entity := range 3 {
			added := model.NewEntity(space.ID, fmt.Sprintf("e%d", entity), "Simple", model.Object(`{"a": "\u00fc\n"}`))
			_, err := w.db.AddEntity(w.alice.ctx, added)
			check(w.t, err)
		}
	}
	file, job := w.file(w.alice, "a.glb"), w.job(w.alice)
	return append(ids, file.ResourceKey, job.ID)
}

// graphQLResponse is a response with its errors in a fixed order.
type graphQLResponse struct {
	status int
	Data   json.RawMessage
	Errors []json.RawMessage
}

func (a graphQLResponse) equals(b graphQLResponse) bool {
	return a.status == b.status && bytes.Equal(a.Data, b.Data) &&
		slices.EqualFunc(a.Errors, b.Errors, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

func (a graphQLResponse) String() string {
	return fmt.Sprintf("%d %s, errors %s", a.status, a.Data, a.Errors)
}

// respond sends a document to the handler, and returns its response.
func respond(t testing.TB, handler http.Handler, key, document string) (a graphQLResponse) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"yes": true, "no": false}})
	check(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	if err := json.Unmarshal(recorder.Body.Bytes(), &a); err != nil {
		t.Fatalf("response to %s: %v\n%s", document, err, recorder.Body)
	}
	a.status = recorder.Code
	slices.SortFunc(a.Errors, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	return a
}

// BenchmarkList measures the allocations of a list of 200 entities, with the schema of the program
// and with the one that gqlgen generates, in docs/performance.md.
func BenchmarkList(b *testing.B) {
	w := newWorld(b)
	w.makeRoom()
	space := w.space(w.alice, model.SpaceHub)
	for i := range 200 {
		_, err := w.db.AddEntity(b.Context(), model.NewEntity(space.ID, fmt.Sprintf("e%d", i), "Simple", model.Object(`{"a": 1}`)))
		check(b, err)
	}
	plain := newSchema(w.Resolver)
	options := HandlerOptions{Resolver: w.Resolver, Keys: w.keys}
	document := `{ space(id: "` + space.ID + `") { entities(first: 200) { totalCount nodes { id entityId type data state createdAt changedAt } } } }`
	for name, schema := range map[string]graphql.ExecutableSchema{"plain": plain, "generated": plain.(plainSchema).executableSchema} {
		b.Run(name, func(b *testing.B) {
			handler := newHandler(options, schema)
			b.ReportAllocs()
			for b.Loop() {
				if got := respond(b, handler, w.alice.key, document); len(got.Errors) > 0 {
					b.Fatalf("response: got %s, want no error", got)
				}
			}
		})
	}
}

// BenchmarkGet measures a query for one entity, as clients send it: the document and its variables
// with each request.
func BenchmarkGet(b *testing.B) {
	w := newWorld(b)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.db.AddEntity(b.Context(), model.NewEntity(space.ID, "e", "Simple", model.Object(`{"a": 1}`)))
	check(b, err)
	body, err := json.Marshal(map[string]any{
		"query": `query ($s: ID!, $e: ID!) { entity(spaceId: $s, entityId: $e) {
			entity_id: entityId entity_type: type entity_data: data entity_state: state created: createdAt changed: changedAt } }`,
		"variables": map[string]string{"s": space.ID, "e": "e"},
	})
	check(b, err)
	handler := NewHandler(HandlerOptions{Resolver: w.Resolver, Keys: w.keys})
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+w.alice.key)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		if got := recorder.Body.Bytes(); bytes.Contains(got, []byte("errors")) {
			b.Fatalf("response: got %s, want no error", got)
		}
	}
}
