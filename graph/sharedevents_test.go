package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"portico/graph/live"
	"portico/model"
)

// A value that depends on the caller, or is read from the database, is never shared.
func TestIsShareable_refuses_what_depends_on_the_caller(t *testing.T) {
	t.Parallel()
	schema := NewExecutableSchema(Config{Resolvers: schemaRoot{&Resolver{}}}).Schema()
	for _, test := range []struct {
		selection, event string
		want             bool
	}{
		{`... on EntityChanged { entity { entityId data changedAt } space { title } }`, "EntityChanged", true},
		{`__typename ... on EntityChanged { entity { ...E } }`, "EntityChanged", true},
		{`... on EntityChanged { entity { readUrl file { viewUrl posterUrl facts { format ... on GaussianFacts { splats } } } } }`, "EntityChanged", true},
		{`... on EntityChanged { entity { file { preparation { step state message } } } }`, "EntityChanged", true},
		{`... on EntityChanged { entity { file { usedBy { totalCount } } } }`, "EntityChanged", false},
		{`... on EntityChanged { entity { ... on Node { id } file { usedBy { totalCount } } } }`, "EntityChanged", false},
		{`... on EntityChanged { space { owner { email } } }`, "EntityChanged", false},
		{`... on EntityChanged { space { entities { totalCount } } }`, "EntityChanged", false},
		{`... on SpaceSnapshot { space { entities { totalCount } } } ... on EntityChanged { entity { data } }`, "EntityChanged", true},
		{`... on SpaceSnapshot { space { entities { totalCount } } } ... on EntityChanged { entity { data } }`, "SpaceSnapshot", false},
		{`...S`, "SpaceSnapshot", false},
		{`...S`, "EntityDeleted", true},
		{`... on PresenceChanged { joined { id name isOwner } moved { id position yaw pitch } left }`, "PresenceChanged", true},
		{`... on PresenceJoined { ticket } ... on PresenceChanged { left }`, "PresenceChanged", true},
		{`... on PresenceJoined { ticket }`, "PresenceJoined", false},
	} {
		root := `space(id: "s")`
		if strings.Contains(test.event, "Presence") {
			root = `spacePresence(spaceId: "s")`
		}
		document := `subscription { ` + root + ` { ` + test.selection + ` } }`
		if strings.Contains(document, "...E") {
			document += ` fragment E on Entity { id data }`
		}
		if strings.Contains(document, "...S") {
			document += ` fragment S on SpaceSnapshot { space { entities { totalCount } } }`
		}
		parsed, err := gqlparser.LoadQueryWithRules(schema, document, rules.NewDefaultRules())
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		if got := isShareable(parsed.Operations[0].SelectionSet, test.event); got != test.want {
			t.Errorf("%s of %s: got shareable %v, want %v", test.selection, test.event, got, test.want)
		}
	}
}

func TestEventTypes_are_those_of_the_schema(t *testing.T) {
	t.Parallel()
	schema := NewExecutableSchema(Config{Resolvers: schemaRoot{&Resolver{}}}).Schema()
	want := slices.Concat(schema.Types["SpaceEvent"].Types, schema.Types["SpacePresenceEvent"].Types)
	if got := eventTypes(); !slices.Equal(got, want) {
		t.Errorf("types: got %v, want %v", got, want)
	}
	for name := range shareableFields() {
		if schema.Types[name] == nil {
			t.Errorf("type %s: got none in the schema", name)
		}
	}
}

// The name decides which fields are shared, so a wrong one would make each subscriber encode.
func TestEvents_name_their_types(t *testing.T) {
	t.Parallel()
	var names []string
	for _, event := range []live.Content{
		&model.SpaceSnapshot{}, &model.SpaceChanged{}, &model.SpaceDeleted{},
		&model.EntityCreated{}, &model.EntityChanged{}, &model.EntityDeleted{}, &model.RoomChanged{}, &model.AccessLost{},
		&model.PresenceJoined{}, &model.PresenceChanged{}, &model.PresenceEnded{},
	} {
		names = append(names, event.EventType())
	}
	if want := eventTypes(); !slices.Equal(names, want) {
		t.Errorf("names: got %v, want %v", names, want)
	}
}

// TestSubscriptions_shared_by_callers follows a space from two accounts with one document,
// in which a field depends on the caller's rights.
func TestSubscriptions_shared_by_callers(t *testing.T) {
	t.Parallel()
	const document = `subscription($id: ID!) { space(id: $id) { __typename
		... on EntityCreated { entity { id entityId data } space { url privacy } } } }`
	overBoth(t, "two accounts", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		space := w.open(w.alice, model.Public)
		operation := request(document, map[string]any{"id": space.ID})
		readers := []reader{subscribe(w.alice, operation), subscribe(w.bob, operation), subscribe(w.alice, operation)}
		for _, r := range readers {
			r.until(t, `SpaceSnapshot`)
		}
		w.create(space, "chair")
		for _, r := range readers {
			r.until(t, `{"space":{"__typename":"EntityCreated","entity":{"id":"`+model.NodeID(model.NodeEntity, space.ID+"/chair")+`","entityId":"chair","data":{}},`+
				`"space":{"url":"`+webURL+`/`+space.ID+`","privacy":"PUBLIC"}}}`)
		}
		check(t, w.set(space, model.Private, false))
		readers[1].until(t, `AccessLost`)
		readers[1].until(t, `complete`)
		w.create(space, "table")
		readers[0].until(t, `"entityId":"table"`)
		readers[2].until(t, `"entityId":"table"`)
	})
}
