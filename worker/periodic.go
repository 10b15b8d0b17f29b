package worker

import (
	"time"

	"github.com/riverqueue/river"

	"portico/model"
)

// The queues of periodic jobs, which do not wait behind the jobs of users. A purge waits for the
// store, so it has a queue of its own.
const (
	purgeQueue    = "purge"
	periodicQueue = "periodic"
)

// periodicJobs returns the jobs that run once in each interval, for all workers together: only
// River's leader inserts them.
func periodicJobs() []*river.PeriodicJob {
	now := &river.PeriodicJobOpts{RunOnStart: true}
	return []*river.PeriodicJob{
		periodicJob(purgeQueue, purgeArgs{}, purgeInterval, now),
		periodicJob(periodicQueue, sampleArgs{}, model.SampleInterval, now),
		periodicJob(periodicQueue, rebuildArgs{}, rebuildInterval, nil),
	}
}

// periodicJob returns a job that runs once in each interval. A job that fails is not tried
// again, because the next one follows soon. ByPeriod prevents a second job in the interval
// when another worker becomes the leader.
func periodicJob(queue string, args river.JobArgs, interval time.Duration, options *river.PeriodicJobOpts) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(interval), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{
			Queue: queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: interval},
		}
	}, options)
}
