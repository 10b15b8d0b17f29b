package worker

import (
	"context"

	"github.com/riverqueue/river"

	"portico/model"
)

type sampleArgs struct{}

// Kind implements river.JobArgs.
func (sampleArgs) Kind() string { return "sample" }

// periodicSample stores the state of the server once in each interval, for all workers together,
// as periodicPurge does.
func periodicSample() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(model.SampleInterval), func() (river.JobArgs, *river.InsertOpts) {
		return sampleArgs{}, &river.InsertOpts{
			Queue: purgeQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: model.SampleInterval},
		}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// sampleWorker stores the state of the server.
type sampleWorker struct {
	river.WorkerDefaults[sampleArgs]
	w *Worker
}

// Work implements river.Worker. A plot can do without a sample.
func (s *sampleWorker) Work(ctx context.Context, _ *river.Job[sampleArgs]) error {
	err := s.w.DB.AddSample(ctx)
	if err != nil && ctx.Err() == nil {
		s.w.Logger.Warn("store a sample", "error", err)
	}
	return err
}
