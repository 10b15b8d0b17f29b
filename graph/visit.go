package graph

import (
	"cmp"
	"context"
	"fmt"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/graph/statistics"
	"portico/model"
)

// VisitSpace returns a space that the caller may read, and counts a visit. A visit of the same
// viewer counts once in half an hour.
func (r Mutations) VisitSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.access.ReadableSpaceWithKey(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.visit(ctx, space, access.ViewerID(ctx))
}

// RecordVisit counts a visit of a space that the caller, or everybody, may read. Without a caller,
// the viewer is the visitor of the context. Without either, the visit is not counted.
func (r Mutations) RecordVisit(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.access.ReadableSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.visit(ctx, space, cmp.Or(access.ViewerID(ctx), model.VisitorFrom(ctx)))
}

// visit counts a visit of the space, unless the viewer is its owner or unknown, or the request does not
// count (model.MayCountVisit).
//
// The count is part of the statement that returns the space, so the response includes the visit.
func (r *Resolver) visit(ctx context.Context, space *model.Space, viewer string) (*model.Space, error) {
	if viewer == "" || model.IsUncounted(ctx) || access.Owns(model.CallerFrom(ctx), space) {
		return space, nil
	}
	return r.db.Spaces().Visit(ctx, space.ID, viewer)
}

// DailyVisits returns the visits of the space on each of the last days, and nil to everybody but
// its owner. It is one statement for all spaces of the page.
func (r *Resolver) DailyVisits(ctx context.Context, space *model.Space, days int) ([]*model.DayVisits, error) {
	if !access.Owns(model.CallerFrom(ctx), space) {
		return nil, nil
	}
	if days < 1 || days > model.StatisticDays {
		return nil, model.InvalidField("days", fmt.Sprintf("must be between 1 and %d", model.StatisticDays))
	}
	return batch.Load(ctx, space, batch.Key("visitsByDay", days), func(ctx context.Context, spaces []*model.Space) (map[*model.Space][]*model.DayVisits, error) {
		return batch.ByKey(spaces, func(space *model.Space) string { return space.ID },
			func(ids []string) (map[string][]*model.DayVisits, error) {
				return r.db.Spaces().DailyVisits(ctx, ids, days)
			})
	})
}

// RecordStay counts what the page of a space reports when its visitor leaves. The space must be one that
// the caller, or everybody, may read.
func (r Mutations) RecordStay(ctx context.Context, stay model.Stay) error {
	return r.statistics.RecordStay(ctx, stay)
}

// SpaceStatistics returns what came of a space of the caller in the last days.
func (r Queries) SpaceStatistics(ctx context.Context, spaceID string, days int) (*model.SpaceStatistics, error) {
	return r.statistics.SpaceStatistics(ctx, spaceID, days)
}

// Statistics counts what came of spaces.
func (r *Resolver) Statistics() *statistics.Service { return r.statistics }
