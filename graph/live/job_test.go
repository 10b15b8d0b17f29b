package live

import (
	"context"
	"testing"

	"portico/model"
)

func TestJobsFeed_forgets_what_is_gone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.job()
	feed := &jobsFeed{load: func(ctx context.Context) ([]*model.Job, error) { return w.db.Jobs().RecentJobsOf(ctx, w.alice, 0) }}
	unknown, more, err := feed.read(t.Context())
	check(t, err)
	equal(t, "jobs", len(unknown), 1)
	equal(t, "more", more, false)
	equal(t, "last", feed.markDelivered(unknown[0]), false)
	w.exec("DELETE FROM river_job")
	w.exec("DELETE FROM jobs")
	unknown, _, err = feed.read(t.Context())
	check(t, err)
	equal(t, "jobs", len(unknown), 0)
	equal(t, "remembered", len(feed.sent), 0)
}
