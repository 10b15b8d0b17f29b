package worker

import (
	"time"

	"github.com/riverqueue/river"

	"portico/model"
)

// periodicJobs returns the jobs that run once in each interval, for all workers together: only
// River's leader inserts them. The queue of all of them is purgeQueue.
func periodicJobs() []*river.PeriodicJob {
	now := &river.PeriodicJobOpts{RunOnStart: true}
	return []*river.PeriodicJob{
		periodicJob(purgeArgs{}, purgeInterval, now),
		periodicJob(sampleArgs{}, model.SampleInterval, now),
		periodicJob(rebuildArgs{}, rebuildInterval, nil),
	}
}

// periodicJob returns a job that runs once in each interval. A job that fails is not tried
// again, because the next one follows soon. ByPeriod prevents a second job in the interval
// when another worker becomes the leader.
func periodicJob(args river.JobArgs, interval time.Duration, options *river.PeriodicJobOpts) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(interval), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{
			Queue: purgeQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: interval},
		}
	}, options)
}
