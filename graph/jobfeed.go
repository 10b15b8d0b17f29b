package graph

import (
	"context"
	"slices"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// Jobs subscribes to all jobs of the caller: the current state of each, oldest first, then every
// change. It ends with ctx only, because a new job may start at any time.
func (r Subscriptions) Jobs(ctx context.Context) (<-chan *model.Job, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	shared := r.jobListReads.subscribe(ctx, r.Resolver, db.JobsTopic(c.UserID), func(ctx context.Context, _ []*model.Job) ([]*model.Job, time.Duration, error) {
		jobs, err := r.db.Jobs().RecentJobsOf(ctx, c.UserID, r.settings.JobTTL)
		return jobs, 0, err
	})
	return subscribe(ctx, r.Resolver, shared.changes, &jobsFeed{load: shared.value}, cancel), nil
}

// jobsFeed is the feed of a user's jobs that are new or have changed. The deletion of an old job is
// not an event: the end of the job was one.
type jobsFeed struct {
	load func(ctx context.Context) ([]*model.Job, error) // newest first
	sent map[string]model.Job                            // the states that the reader has, by id
}

var _ feed[*model.Job] = (*jobsFeed)(nil)

func (f *jobsFeed) read(ctx context.Context) ([]*model.Job, bool, error) {
	jobs, err := f.load(ctx)
	if err != nil {
		return nil, false, err
	}
	// Removing the deleted jobs keeps the map from growing forever.
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

// markDelivered records the state that was sent. The copy keeps it, whatever the shared list does.
func (f *jobsFeed) markDelivered(job *model.Job) bool {
	f.sent[job.ID] = *job
	return false
}
