package door

import (
	"slices"
	"strings"
	"testing"

	gqlparser "github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"portico/graph/live"
	"portico/model"
)

// A value that depends on the caller, or is read from the database, is never shared.
func TestIsShareable_refuses_what_depends_on_the_caller(t *testing.T) {
	t.Parallel()
	schema := NewExecutableSchema(Config{}).Schema()
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
	schema := NewExecutableSchema(Config{}).Schema()
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
