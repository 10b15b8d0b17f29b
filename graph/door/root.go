package door

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"portico/graph"
	"portico/graph/schema"
	"portico/model"
)

// schemaRoot resolves the fields of the GraphQL schema. Who may read a field is decided in the core, even
// for a field of an object that the caller already has.
type schemaRoot struct{ core *graph.Resolver }

// Resolvers returns the resolvers of the types of the schema.
func Resolvers(core *graph.Resolver) ResolverRoot { return schemaRoot{core} }

// The resolvers of types, each with the fields that are not columns.
type (
	queryFields        struct{ core *graph.Resolver }
	mutationFields     struct{ core *graph.Resolver }
	subscriptionFields struct{ core *graph.Resolver }
	entityFields       struct{ core *graph.Resolver }
	fileFields         struct{ core *graph.Resolver }
	jobFields          struct{ core *graph.Resolver }
	spaceFields        struct{ core *graph.Resolver }
	spacesFields       struct{ core *graph.Resolver }
	filesFields        struct{ core *graph.Resolver }
	userFields         struct{ core *graph.Resolver }
	webhookFields      struct{ core *graph.Resolver }
	avatarFields       struct{ core *graph.Resolver }
)

// Query implements ResolverRoot.
func (r schemaRoot) Query() QueryResolver { return queryFields(r) }

// Mutation implements ResolverRoot.
func (r schemaRoot) Mutation() MutationResolver { return mutationFields(r) }

// Subscription implements ResolverRoot.
func (r schemaRoot) Subscription() SubscriptionResolver { return subscriptionFields(r) }

// Entity implements ResolverRoot.
func (r schemaRoot) Entity() EntityResolver { return entityFields(r) }

// File implements ResolverRoot.
func (r schemaRoot) File() FileResolver { return fileFields(r) }

// Job implements ResolverRoot.
func (r schemaRoot) Job() JobResolver { return jobFields(r) }

// Space implements ResolverRoot.
func (r schemaRoot) Space() SpaceResolver { return spaceFields(r) }

// SpacesSnapshot implements ResolverRoot.
func (r schemaRoot) SpacesSnapshot() SpacesSnapshotResolver { return spacesFields(r) }

// FilesSnapshot implements ResolverRoot.
func (r schemaRoot) FilesSnapshot() FilesSnapshotResolver { return filesFields(r) }

// User implements ResolverRoot.
func (r schemaRoot) User() UserResolver { return userFields(r) }

// Webhook implements ResolverRoot.
func (r schemaRoot) Webhook() WebhookResolver { return webhookFields(r) }

// Avatar implements ResolverRoot.
func (r schemaRoot) Avatar() AvatarResolver { return avatarFields(r) }

// connection returns the arguments of the connection that ctx is resolving.
func connection(ctx context.Context, first *int, after *string, last *int, before *string) model.ConnectionArgs {
	return model.ConnectionArgs{First: first, After: after, Last: last, Before: before, WithoutTotal: !selectsTotal(ctx)}
}

// selectsTotal reports whether the client selects the totalCount of the connection that ctx is
// resolving.
func selectsTotal(ctx context.Context) bool {
	connection := graphql.GetFieldContext(ctx).Field
	selected := graphql.CollectFieldsCtx(ctx, []string{connection.Definition.Type.Name()})
	return slices.ContainsFunc(selected, func(field graphql.CollectedField) bool { return field.Name == "totalCount" })
}

// orderFields returns the fields that lists can be sorted by, by their names in the schema.
func orderFields() map[string]model.OrderField {
	return map[string]model.OrderField{
		string(schema.SpaceOrderFieldCreatedAt):  model.OrderByCreation,
		string(schema.SpaceOrderFieldChangedAt):  model.OrderByChange,
		string(schema.SpaceOrderFieldTitle):      model.OrderByTitle,
		string(schema.SpaceOrderFieldVisitCount): model.OrderByVisits,
		string(schema.FileOrderFieldName):        model.OrderByName,
		string(schema.FileOrderFieldSize):        model.OrderBySize,
	}
}

func orderBy[F ~string](field F, direction schema.OrderDirection) model.Order {
	return model.Order{Field: orderFields()[string(field)], Direction: model.Direction(direction)}
}

// entityIDs returns the id of an entity's space, and the id of the entity within it. entityID is
// the GraphQL id of the entity, or with spaceID its id within the space.
func entityIDs(spaceID *string, entityID string) (space, entity string, err error) {
	kind, id, ok := model.ParseNodeID(entityID)
	if spaceID != nil {
		if space, err = model.OwnID(model.NodeSpace, "spaceId", *spaceID); err != nil {
			return "", "", err
		}
	}
	if ok && kind == model.NodeEntity {
		owner, idInSpace, _ := strings.Cut(id, "/")
		if spaceID == nil || owner == space {
			return owner, idInSpace, nil
		}
	}
	// Clients choose the ids within a space, and may choose one that looks like a GraphQL id.
	if spaceID == nil {
		return "", "", model.InvalidField("spaceId", "is required when entityId is the id within the space")
	}
	return space, entityID, nil
}
