package door

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/graph/schema"
	"portico/model"
)

// Space returns a space that the caller may read. It counts no visit.
func (r queryFields) Space(ctx context.Context, nodeID string) (*model.Space, error) {
	id, err := model.OwnID(model.NodeSpace, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Access().ReadableSpace(ctx, id)
}

// Spaces returns a page of the caller's spaces.
func (r queryFields) Spaces(
	ctx context.Context, filter *model.SpaceFilter, order *schema.SpaceOrder, first *int, after *string, last *int, before *string,
) (*model.SpaceConnection, error) {
	selected, args := spaceArgs(filter, order, connection(ctx, first, after, last, before))
	return r.core.OwnedSpaces(ctx, selected, args)
}

// PublicSpaces returns a page of the Public spaces of all accounts.
func (r queryFields) PublicSpaces(
	ctx context.Context, filter *model.SpaceFilter, order *schema.SpaceOrder, first *int, after *string, last *int, before *string,
) (*model.SpaceConnection, error) {
	selected, args := spaceArgs(filter, order, connection(ctx, first, after, last, before))
	return r.core.PublicSpaces(ctx, selected, args)
}

// spaceArgs adds the filter and the order to the arguments of a list of spaces.
func spaceArgs(
	filter *model.SpaceFilter, order *schema.SpaceOrder, args model.ConnectionArgs,
) (model.SpaceFilter, model.ConnectionArgs) {
	selected := model.Deref(filter)
	args.Search = selected.Text
	if order != nil {
		args.Order = orderBy(order.Field, order.Direction)
		if order.Field == schema.SpaceOrderFieldChangedAt {
			args.Order.Field = model.OrderByTouch // GraphQL's changedAt includes the entities
		}
	}
	return selected, args
}

// ViewerIsOwner reports whether the caller owns the space; false without a key.
func (r spaceFields) ViewerIsOwner(ctx context.Context, space *model.Space) (bool, error) {
	return access.Owns(model.CallerFrom(ctx), space), nil
}

// URL returns the address of the space for people.
func (r spaceFields) URL(_ context.Context, space *model.Space) (string, error) {
	return r.core.SpaceURL(space), nil
}

// RunsPlugins reports whether pages run the plugins of the space for the caller.
func (r spaceFields) RunsPlugins(ctx context.Context, space *model.Space) (bool, error) {
	return access.RunsPlugins(model.CallerFrom(ctx), space), nil
}

// ViewerMayDownload reports whether the caller may download what is in the space.
func (r spaceFields) ViewerMayDownload(ctx context.Context, space *model.Space) (bool, error) {
	return access.MayDownload(access.ReaderFrom(ctx), space), nil
}

// ChangedAt returns when the space or one of its entities last changed.
func (r spaceFields) ChangedAt(_ context.Context, space *model.Space) (*model.Time, error) {
	touched := r.core.TouchedAt(space)
	return &touched, nil
}

// Posters returns the picture of the space in each size.
func (r spaceFields) Posters(ctx context.Context, space *model.Space) ([]*model.Poster, error) {
	card, err := r.card(ctx, space)
	return card.Posters, err
}

// Turntable returns the picture of the space in motion.
func (r spaceFields) Turntable(ctx context.Context, space *model.Space) (*model.Turntable, error) {
	card, err := r.card(ctx, space)
	return card.Turntable, err
}

func (r spaceFields) card(ctx context.Context, space *model.Space) (model.SpaceCard, error) {
	return batch.Load(ctx, space, "card", func(ctx context.Context, spaces []*model.Space) (map[*model.Space]model.SpaceCard, error) {
		return r.core.CardsOf(ctx, spaces)
	})
}

// VisitsByDay returns how many times the space was visited on each of the last days; nil for
// everybody but its owner.
func (r spaceFields) VisitsByDay(ctx context.Context, space *model.Space, days int) ([]*model.DayVisits, error) {
	return r.core.DailyVisits(ctx, space, days)
}

// Entities returns a page of the space's entities.
func (r spaceFields) Entities(
	ctx context.Context, space *model.Space, filter *model.EntityFilter, order *schema.EntityOrder,
	first *int, after *string, last *int, before *string,
) (*model.EntityConnection, error) {
	args := connection(ctx, first, after, last, before)
	if order != nil {
		args.Order = orderBy(order.Field, order.Direction)
	}
	field := batch.Key("entities", filter, args)
	return batch.Load(ctx, space, field, func(ctx context.Context, spaces []*model.Space) (map[*model.Space]*model.EntityConnection, error) {
		return r.core.EntitiesOf(ctx, spaces, model.Deref(filter), args)
	})
}

// CreateSpace creates a space of the caller, empty or with a file. A warning says why it will show
// nothing.
func (r mutationFields) CreateSpace(ctx context.Context, in model.CreateSpace) (*schema.CreateSpacePayload, error) {
	if err := decodeFileID(&in.ResourceKey); err != nil {
		return nil, err
	}
	space, err := r.core.Mutation().CreateSpace(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.CreateSpacePayload{Space: space, Warning: space.Warning}, nil
}

// RecordVisit counts a visit of a space.
func (r mutationFields) RecordVisit(ctx context.Context, in schema.RecordVisitInput) (*schema.RecordVisitPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Mutation().RecordVisit(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.RecordVisitPayload{Space: space}, nil
}

// UpdateSpace changes the fields of a space of the caller that the input sets. A null
// description is an empty text, and a null title becomes the default title.
func (r mutationFields) UpdateSpace(ctx context.Context, in schema.UpdateSpaceInput) (*schema.UpdateSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Mutation().UpdateSpace(ctx, model.UpdateSpace{
		SpaceID: id, SpaceTextInput: textInput(in),
		Privacy: in.Privacy, Presence: in.Presence, PluginsForVisitors: in.PluginsForVisitors,
		CopiesAllowed: in.CopiesAllowed, Template: in.Template, Data: in.Data, ExpectedVersion: in.ExpectedVersion,
	})
	if err != nil {
		return nil, err
	}
	return &schema.UpdateSpacePayload{Space: space}, nil
}

// textInput returns the texts of the input: its fields that have the names of texts. Null clears a
// text whose field is omittable.
func textInput(in schema.UpdateSpaceInput) (texts model.SpaceTextInput) {
	to, from := reflect.ValueOf(&texts).Elem(), reflect.ValueOf(in)
	for field := range to.Type().Fields() {
		text := from.FieldByName(field.Name)
		if omittable, ok := text.Interface().(graphql.Omittable[*string]); ok {
			text = reflect.ValueOf(textOrEmpty(omittable))
		}
		to.FieldByName(field.Name).Set(text)
	}
	return texts
}

// DeleteSpace deletes a space of the caller with its entities, even while another editor has locked
// it. Its files stay.
func (r mutationFields) DeleteSpace(ctx context.Context, in schema.DeleteSpaceInput) (*schema.DeleteSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	if _, err := r.core.Mutation().DeleteSpace(ctx, id); err != nil {
		return nil, err
	}
	return &schema.DeleteSpacePayload{DeletedSpaceID: model.NodeID(model.NodeSpace, id)}, nil
}

// UpdateSpacePrivacy changes who can find and open a space.
func (r mutationFields) UpdateSpacePrivacy(ctx context.Context, in model.UpdateSpacePrivacy) (*schema.UpdateSpacePrivacyPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	in.SpaceID = id
	space, err := r.core.Mutation().UpdateSpacePrivacy(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.UpdateSpacePrivacyPayload{Space: space}, nil
}

// Space subscribes to a space that the caller may read.
func (r subscriptionFields) Space(ctx context.Context, nodeID string) (<-chan model.SpaceEvent, error) {
	id, err := model.OwnID(model.NodeSpace, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Subscription().Space(ctx, id)
}
