package graph

import (
	"context"
	"fmt"

	"portico/model"
)

// dailyVisits returns the visits of the space on each of the last days, and nil to everybody but
// its owner. It is one statement for all spaces of the page.
func (r *Resolver) dailyVisits(ctx context.Context, space *model.Space, days int) ([]*model.DayVisits, error) {
	if !owns(model.CallerFrom(ctx), space) {
		return nil, nil
	}
	if days < 1 || days > model.MaxVisitDays {
		return nil, model.InvalidField("days", fmt.Sprintf("must be between 1 and %d", model.MaxVisitDays))
	}
	return loadField(ctx, space, fieldKey("visitsByDay", days), func(ctx context.Context, spaces []*model.Space) (map[*model.Space][]*model.DayVisits, error) {
		return loadByKey(spaces, func(space *model.Space) string { return space.ID },
			func(ids []string) (map[string][]*model.DayVisits, error) { return r.DB.DailyVisits(ctx, ids, days) })
	})
}
