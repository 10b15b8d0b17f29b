package door

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"portico/graph/live"
)

// sharedEventSchema executes subscriptions to spaces and their visitors. It encodes each event once
// for all subscribers with the same selection set; the generated schema would encode it for each
// subscriber. All other operations go to the generated schema.
//
// The response of a shared event must equal the response that the generated schema would give each
// subscriber. shareableFields is what makes that true: a field that depends on the caller is not in
// it.
type sharedEventSchema struct {
	graphql.ExecutableSchema
	present graphql.ErrorPresenterFunc
}

// Exec implements graphql.ExecutableSchema.
func (s sharedEventSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation != ast.Subscription {
		return s.ExecutableSchema.Exec(ctx)
	}
	started := &live.Execution{}
	respond := s.ExecutableSchema.Exec(live.WithExecution(ctx, started))
	if started.Source == nil { // another subscription, or a refused one
		return respond
	}
	e := eventEncoder{schema: s, operation: op, key: keyOf(op, started.Source.Audience()), shareable: map[string]bool{}}
	return func(ctx context.Context) *graphql.Response {
		event := started.Source.Next(ctx)
		if event == nil {
			return nil
		}
		return e.response(ctx, event)
	}
}

// eventEncoder encodes events for one subscription.
type eventEncoder struct {
	schema    sharedEventSchema
	operation *graphql.OperationContext
	key       live.SelectionKey
	shareable map[string]bool // by type of event
}

// keyOf returns the key of the operation's selection set. It is a hash of the text, so documents that
// differ in a space are encoded separately. The owner of the space has another key, and so has who has a
// share link, because some addresses of files are signed for them. SHA-256 keeps a subscriber from
// choosing a document that gets the response of another one.
func keyOf(op *graphql.OperationContext, audience string) live.SelectionKey {
	// Variables were decoded from JSON, so they can be encoded.
	parts, _ := json.Marshal([]any{op.RawQuery, op.Operation.Name, selectionVariables(op), audience})
	return sha256.Sum256(parts)
}

// selectionVariables returns the variables that the selected values may depend on: all except the
// name of a visitor, which every subscriber chooses. The name is a text, so no directive can use
// it, and no field of the visitors' events has arguments.
func selectionVariables(op *graphql.OperationContext) map[string]any {
	relevant := maps.Clone(op.Variables)
	for _, selection := range op.Operation.SelectionSet {
		field, ok := selection.(*ast.Field)
		if !ok || field.Name != "spacePresence" {
			continue
		}
		if name := field.Arguments.ForName("name"); name != nil && name.Value.Kind == ast.Variable {
			delete(relevant, name.Value.Raw)
		}
	}
	return relevant
}

// response returns the event as a response of the subscription.
//
// The data is nil for an event that could not be encoded without errors, such as one that exceeds a
// limit: then each subscriber gets its own errors.
func (e eventEncoder) response(ctx context.Context, event *live.Event) *graphql.Response {
	if e.isShareable(event.Content.EventType()) {
		data := event.Data(ctx, e.key, func() []byte {
			// The other subscribers wait for this, so the end of the first one must not cancel it.
			response := e.execute(context.WithoutCancel(ctx), event.Content)
			if response == nil || len(response.Errors) > 0 {
				return nil
			}
			return response.Data
		})
		if data != nil {
			return &graphql.Response{Data: data}
		}
	}
	return e.execute(ctx, event.Content)
}

// execute executes the selection set on the event.
func (e eventEncoder) execute(ctx context.Context, event live.Content) *graphql.Response {
	ctx = graphql.WithResponseContext(ctx, e.schema.present, panicError)
	response := e.schema.ExecutableSchema.Exec(live.WithExecution(ctx, &live.Execution{Event: event}))(ctx)
	if response != nil {
		response.Errors = append(response.Errors, graphql.GetErrors(ctx)...)
	}
	return response
}

// isShareable reports whether the selection set selects the same values for every
// subscriber from an event of this type.
func (e eventEncoder) isShareable(eventType string) bool {
	shareable, ok := e.shareable[eventType]
	if !ok {
		shareable = isShareable(e.operation.Operation.SelectionSet, eventType)
		e.shareable[eventType] = shareable
	}
	return shareable
}

const (
	// allFields stands for all fields of a type.
	allFields = "*"
	// typename is the field of every object that has the name of its type (GraphQL specification
	// section 4.2, "Type Name Introspection").
	typename = "__typename"
)

// shareableFields returns the fields, by type, whose values are the same for every subscriber
// of an audience. An event with another field is encoded for each subscriber: the
// value of the field depends on the caller, or is a list.
//
// A new field of the schema is not shared until it is listed here, which costs time but is never
// wrong.
func shareableFields() map[string][]string {
	return map[string][]string{
		"Subscription":  {"space", "spacePresence"},
		"SpaceSnapshot": {"space"},
		"SpaceChanged":  {"space"},
		"SpaceDeleted":  {"spaceId", "deletedSpaceId"},
		"AccessLost":    {"lostSpaceId"},
		"EntityCreated": {"space", "entity"},
		"EntityChanged": {"space", "entity"},
		"EntityDeleted": {"space", "entityId", "deletedEntityId"},
		"RoomChanged":   {"space", "room"},
		"Space": {
			"id", "spaceId", "title", "description", "licence", "type", "privacy", "url", "visitCount", "data",
			"createdAt", "changedAt", "version", "presence", "pluginsForVisitors", "runsPlugins", "copiesAllowed", "template", "isRemix",
			"viewerShareLink",
		},
		"Entity": {
			"id", "entityId", "type", "data", "state", "createdAt", "changedAt", "version", "readUrl", "file",
		},
		"File": {
			"id", "resourceKey", "name", "contentType", "size", "derivedBytes", "url", "readUrl", "viewUrl", "posterUrl",
			"collisionUrl", "start", "facts", "preparation", "attribution", "createdAt",
		},
		// All subscribers with the same links are one audience.
		"ViewerShareLink": {allFields},
		"Start":           {allFields}, "Preparation": {allFields}, "FileFacts": {allFields}, "GaussianFacts": {allFields}, "SuggestedView": {allFields},
		"CollisionMeshes": {allFields}, "MeshFacts": {allFields}, "ImageFacts": {allFields},
		"DamagedFacts": {allFields}, "OtherFacts": {allFields}, "Bounds": {allFields},
		// PresenceJoined has the ticket of one subscriber.
		"PresenceChanged": {allFields}, "PresenceEnded": {allFields}, "Visitor": {allFields}, "VisitorMove": {allFields},
	}
}

// eventTypes returns the event types of the schema: the members of model.SpaceEvent and
// model.PresenceEvent.
func eventTypes() []string {
	return []string{
		"SpaceSnapshot", "SpaceChanged", "SpaceDeleted", "EntityCreated", "EntityChanged", "EntityDeleted", "RoomChanged", "AccessLost",
		"PresenceJoined", "PresenceChanged", "PresenceEnded",
	}
}

// isShareable walks the selections that apply to events of one type.
//
// A fragment on an interface or a union that the event implements applies too, so only fragments on
// other types of events are skipped.
func isShareable(selections ast.SelectionSet, eventType string) bool {
	fields := shareableFields()
	applies := func(condition string) bool {
		return condition == eventType || !slices.Contains(eventTypes(), condition)
	}
	var walk func(ast.SelectionSet) bool
	walk = func(selections ast.SelectionSet) bool {
		for _, selection := range selections {
			ok := true
			switch s := selection.(type) {
			case *ast.Field:
				known := fields[s.ObjectDefinition.Name]
				ok = (s.Name == typename || slices.Contains(known, s.Name) || slices.Contains(known, allFields)) &&
					walk(s.SelectionSet)
			case *ast.InlineFragment:
				ok = !applies(s.TypeCondition) || walk(s.SelectionSet)
			case *ast.FragmentSpread:
				ok = !applies(s.Definition.TypeCondition) || walk(s.Definition.SelectionSet)
			}
			if !ok {
				return false
			}
		}
		return true
	}
	return walk(selections)
}
