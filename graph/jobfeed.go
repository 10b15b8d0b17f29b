package graph

import (
	"context"
	"slices"

	"portico/db"
	"portico/model"
)

// Jobs follows all jobs of the caller: the current state of each, oldest first, then every
// change of any. It does not end by itself: a new job may start at any time.
func (r Subscriptions) Jobs(ctx context.Context) (<-chan *model.Job, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(ctx)
	shared := r.jobListReads.follow(ctx, r.Resolver, db.JobsTopic(c.UserID), func(ctx context.Context, _ []*model.Job) ([]*model.Job, bool, error) {
		jobs, err := r.DB.JobsOf(ctx, c.UserID, r.Settings.JobTTL)
		return jobs, false, err
	})
	return subscribe(ctx, r.Resolver, shared.changes, &jobsFeed{now: shared.value}, leave), nil
}

// jobsFeed is the feed of a user's jobs that are new or have changed. A purged job is not
// an event: its end was sent before.
type jobsFeed struct {
	now  func(ctx context.Context) ([]*model.Job, error) // newest first
	sent map[string]model.Job                            // the states that the reader has, by id
}

var _ feed[*model.Job] = (*jobsFeed)(nil)

func (f *jobsFeed) read(ctx context.Context) ([]*model.Job, bool, error) {
	jobs, err := f.now(ctx)
	if err != nil {
		return nil, false, err
	}
	// Purged jobs are dropped, or the map would grow for ever.
	kept := make(map[string]model.Job, len(jobs))
	var unknown []*model.Job
	for _, job := range slices.Backward(jobs) {
		sent, ok := f.sent[job.ID]
		if ok {
			kept[job.ID] = sent
		}
		if sent != *job {
			unknown = append(unknown, job)
		}
	}
	f.sent = kept
	return unknown, false, nil
}

func (f *jobsFeed) delivered(job *model.Job) bool {
	f.sent[job.ID] = *job
	return false
}
