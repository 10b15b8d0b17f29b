package graph

import (
	"context"
	"strings"

	"portico/graph/schema"
	"portico/model"
)

// schemaRoot resolves the fields of the GraphQL schema. It decodes ids and arguments,
// calls the operations that every door calls, and wraps their results in payloads: the
// rules are in the operations.
type schemaRoot struct{ core *Resolver }

var _ ResolverRoot = schemaRoot{}

// The resolvers of types, each with the fields that are not columns.
type (
	queryFields        struct{ core *Resolver }
	mutationFields     struct{ core *Resolver }
	subscriptionFields struct{ core *Resolver }
	entityFields       struct{ core *Resolver }
	fileFields         struct{ core *Resolver }
	jobFields          struct{ core *Resolver }
	spaceFields        struct{ core *Resolver }
	spacesFields       struct{ core *Resolver }
	filesFields        struct{ core *Resolver }
	userFields         struct{ core *Resolver }
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

// maxNodes is the maximum number of ids of the field nodes.
const maxNodes = 100

// Node returns an object by its id; nil when the caller may not read it.
func (r queryFields) Node(ctx context.Context, nodeID string) (model.Node, error) {
	kind, id, ok := model.ParseNodeID(nodeID)
	if !ok {
		return nil, model.InvalidField("id", "is not an id that this server returned")
	}
	node, err := r.node(ctx, kind, id)
	switch model.CodeOf(err) {
	case model.CodeNotFound, model.CodeForbidden, model.CodeUnauthenticated:
		return nil, nil
	}
	return node, err
}

// Nodes returns objects by their ids.
func (r queryFields) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if len(ids) > maxNodes {
		return nil, model.Invalidf("ids must have at most %d values", maxNodes).On("ids")
	}
	nodes := make([]model.Node, len(ids))
	for i, id := range ids {
		var err error
		if nodes[i], err = r.Node(ctx, id); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// node reads an object by its type and its own id.
func (r queryFields) node(ctx context.Context, kind model.NodeType, id string) (model.Node, error) {
	switch kind {
	case model.NodeUser:
		return asNode(r.core.visibleUser(ctx, id))
	case model.NodeSpace:
		return asNode(r.core.visibleSpace(ctx, id))
	case model.NodeEntity:
		space, entity, _ := strings.Cut(id, "/")
		return asNode(r.core.readableEntity(ctx, space, entity))
	case model.NodeFile:
		return asNode(r.core.Query().File(ctx, id))
	case model.NodeJob:
		return asNode(r.core.Query().Job(ctx, id))
	case model.NodeNotification:
		return asNode(r.core.notification(ctx, id))
	case model.NodeSecurityEvent:
		return asNode(r.core.securityEvent(ctx, id))
	}
	return nil, nil
}

// asNode returns nil in place of a nil pointer, which would be a Node.
func asNode[T model.Node](node T, err error) (model.Node, error) {
	if err != nil {
		return nil, err
	}
	return node, nil
}

// connection returns the arguments of a connection.
func connection(first *int, after *string, last *int, before *string) model.ConnectionArgs {
	return model.ConnectionArgs{First: first, After: after, Last: last, Before: before}
}

// orderFields are the fields that lists can be sorted by, by their names in the schema.
var orderFields = map[string]model.OrderField{
	string(schema.SpaceOrderFieldCreatedAt):  model.OrderByCreation,
	string(schema.SpaceOrderFieldChangedAt):  model.OrderByChange,
	string(schema.SpaceOrderFieldTitle):      model.OrderByTitle,
	string(schema.SpaceOrderFieldVisitCount): model.OrderByVisits,
	string(schema.FileOrderFieldName):        model.OrderByName,
	string(schema.FileOrderFieldSize):        model.OrderBySize,
}

// orderBy returns the order by a field of the schema.
func orderBy[F ~string](field F, direction schema.OrderDirection) model.Order {
	return model.Order{Field: orderFields[string(field)], Direction: model.Direction(direction)}
}

// entityIDs returns the ids of an entity's space and of the entity within it. entityID is
// the entity's id, or its id within the space that spaceID names.
func entityIDs(spaceID *string, entityID string) (space, entity string, err error) {
	kind, id, ok := model.ParseNodeID(entityID)
	if spaceID != nil {
		if space, err = model.OwnID(model.NodeSpace, "spaceId", *spaceID); err != nil {
			return "", "", err
		}
	}
	if ok && kind == model.NodeEntity {
		of, within, _ := strings.Cut(id, "/")
		if spaceID == nil || of == space {
			return of, within, nil
		}
	}
	// Clients choose ids within a space, and may choose one that looks like a node's.
	if spaceID == nil {
		return "", "", model.InvalidField("spaceId", "is required with an entityId that is the id within the space")
	}
	return space, entityID, nil
}
