package live

import (
	"context"
	"slices"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// Job subscribes to a job of the caller: its current state, then every change, until the job
// ends.
//
// A job that is deleted ends the subscription too. Progress that the reader was too slow for is
// skipped.
func (s *Service) Job(ctx context.Context, id string) (<-chan *model.Job, error) {
	if _, err := s.access.OwnedJob(ctx, id); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	shared := s.jobs.subscribe(ctx, &s.engine, db.JobTopic(id), func(ctx context.Context, _ *model.Job) (*model.Job, time.Duration, error) {
		job, err := s.db.Jobs().Job(ctx, id)
		return job, 0, err
	})
	return subscribe(ctx, &s.engine, shared.changes, &stateFeed[*model.Job]{
		load:    shared.value,
		equal:   func(a, b *model.Job) bool { return *a == *b },
		isFinal: func(job *model.Job) bool { return job.Status.IsTerminal() },
	}, cancel), nil
}

// Jobs subscribes to all jobs of the caller: the current state of each, oldest first, then every
// change. It ends with ctx only, because a new job may start at any time.
func (s *Service) Jobs(ctx context.Context) (<-chan *model.Job, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	shared := s.jobLists.subscribe(ctx, &s.engine, db.JobsTopic(c.UserID), func(ctx context.Context, _ []*model.Job) ([]*model.Job, time.Duration, error) {
		jobs, err := s.db.Jobs().RecentJobsOf(ctx, c.UserID, s.jobTTL)
		return jobs, 0, err
	})
	return subscribe(ctx, &s.engine, shared.changes, &jobsFeed{load: shared.value}, cancel), nil
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
