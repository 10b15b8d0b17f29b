package door

import (
	"context"
	"slices"
	"strings"

	"portico/model"
)

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

// Nodes returns objects by their ids, in the order of the ids; nil for an object that the
// caller may not read.
func (r queryFields) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if len(ids) > maxNodes {
		return nil, model.Invalidf("ids must have at most %d values", maxNodes).WithField("ids")
	}
	wanted := map[model.NodeType][]string{}
	for _, nodeID := range ids {
		kind, id, ok := model.ParseNodeID(nodeID)
		if !ok {
			return nil, model.InvalidField("ids", "must be ids that this server returned")
		}
		wanted[kind] = append(wanted[kind], id)
	}
	found := map[string]model.Node{}
	for kind, ids := range wanted {
		if err := r.readNodes(ctx, kind, ids, found); err != nil {
			return nil, err
		}
	}
	nodes := make([]model.Node, len(ids))
	for i, nodeID := range ids {
		nodes[i] = found[nodeID]
	}
	return nodes, nil
}

// readNodes adds the objects of one type that the caller may read to found, by their GraphQL ids.
// It reads users, spaces, entities and files in one statement, and the other types one by one:
// clients read those as pages of their lists.
func (r queryFields) readNodes(ctx context.Context, kind model.NodeType, ids []string, found map[string]model.Node) error {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	switch kind {
	case model.NodeUser:
		users, err := r.core.VisibleUsers(ctx, ids)
		return addNodes(found, users, err)
	case model.NodeSpace:
		spaces, err := r.core.Access().ReadableSpaces(ctx, ids)
		return addNodes(found, spaces, err)
	case model.NodeEntity:
		entities, err := r.core.Access().ReadableEntities(ctx, ids)
		return addNodes(found, entities, err)
	case model.NodeFile:
		if model.CallerFrom(ctx) == nil {
			return nil // only its owner may read a file
		}
		files, err := r.core.Access().OwnedFilesByKey(ctx, ids)
		return addNodes(found, files, err)
	}
	for _, id := range ids {
		nodeID := model.NodeID(kind, id)
		node, err := r.Node(ctx, nodeID)
		if err != nil {
			return err
		}
		if node != nil {
			found[nodeID] = node
		}
	}
	return nil
}

// addNodes adds objects to found, by their GraphQL ids.
func addNodes[T interface {
	model.Node
	NodeID() string
}](found map[string]model.Node, read map[string]T, err error) error {
	for _, object := range read {
		found[object.NodeID()] = object
	}
	return err
}

// node reads an object by its type and its own id.
func (r queryFields) node(ctx context.Context, kind model.NodeType, id string) (model.Node, error) {
	switch kind {
	case model.NodeUser:
		return nodeOrError(r.core.VisibleUser(ctx, id))
	case model.NodeSpace:
		return nodeOrError(r.core.Access().ReadableSpace(ctx, id))
	case model.NodeEntity:
		space, entity, _ := strings.Cut(id, "/")
		return nodeOrError(r.core.Access().ReadableEntity(ctx, space, entity))
	case model.NodeFile:
		return nodeOrError(r.core.Query().File(ctx, id))
	case model.NodeJob:
		return nodeOrError(r.core.Query().Job(ctx, id))
	case model.NodeNotification:
		return nodeOrError(r.core.Notification(ctx, id))
	case model.NodeSecurityEvent:
		return nodeOrError(r.core.SecurityEvent(ctx, id))
	}
	return nil, nil
}

// nodeOrError returns a nil Node with an error. Without it, the nil pointer of a type would become
// a Node that is not nil.
func nodeOrError[T model.Node](node T, err error) (model.Node, error) {
	if err != nil {
		return nil, err
	}
	return node, nil
}
