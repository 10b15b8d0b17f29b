package worker

import (
	"context"

	"github.com/riverqueue/river"

	"portico/db"
)

// sampleArgs has no fields: a sample is of the whole server.
type sampleArgs struct{}

// Kind implements river.JobArgs.
func (sampleArgs) Kind() string { return db.SampleKind }

// sampleWorker stores the state of the server for the plots of operators.
type sampleWorker struct {
	river.WorkerDefaults[sampleArgs]
	w *Worker
}

// Work implements river.Worker. A sample that fails is not taken again: the plot has a gap.
func (s *sampleWorker) Work(ctx context.Context, _ *river.Job[sampleArgs]) error {
	err := s.w.DB.AddSample(ctx)
	if err != nil && ctx.Err() == nil {
		s.w.Logger.Warn("store a sample", "error", err)
	}
	return err
}
