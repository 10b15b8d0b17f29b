package mcp

import (
	"context"
	"fmt"
	"time"

	"portico/graph/view"
	"portico/model"
)

type jobOutput struct{ view.Job }

func (o jobOutput) summary() string {
	switch {
	case o.Error != nil:
		return fmt.Sprintf("Job %s failed: %s", o.JobID, *o.Error)
	case o.Result != nil:
		return fmt.Sprintf("Job %s is completed: resource_key %s", o.JobID, o.Result.ResourceKey)
	}
	return fmt.Sprintf("Job %s is %s at %.0f %%: %s", o.JobID, o.JobStatus, o.Progress, o.Message)
}

func (d *door) newJobOutput(job *model.Job) jobOutput {
	return jobOutput{view.NewJob(d.Resolver, job)}
}

type jobInput struct {
	JobID string `json:"job_id" jsonschema:"The job: job_id of an upload tool or of list_jobs."`
	Wait  *bool  `json:"wait,omitempty" jsonschema:"Whether to answer only when the job has ended, or after some time; false by default. Better than repeated calls."`
}

// job returns the job. The result for a failed job is not marked as an error, because the call has
// not failed.
func (d *door) job(ctx context.Context, in jobInput, p *progress) (jobOutput, error) {
	job, err := d.Resolver.Query().Job(ctx, in.JobID)
	if err == nil && in.Wait != nil && *in.Wait {
		job, err = d.wait(ctx, job, p)
	}
	if err != nil {
		return jobOutput{}, err
	}
	return d.newJobOutput(job), nil
}

// wait returns the job when it has ended, or its current state after a timeout, and reports the
// progress until then. If too many calls wait already, it returns the job immediately, as after a
// timeout.
//
// It subscribes to the job, so it learns of the end when the worker stores it, on any replica.
func (d *door) wait(ctx context.Context, job *model.Job, p *progress) (*model.Job, error) {
	// This is not WithTimeout, because the end of ctx is an error and the timeout is not.
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	place, ok := d.waits.Enter(job.UserID, 1, stop)
	if !ok {
		return job, nil
	}
	defer place.Leave()
	timeout := d.shortWait
	if p.isWanted() { // clients wait longer for a call that reports progress
		timeout = d.longWait
	}
	states, err := d.Resolver.Subscription().Job(waiting, job.ID)
	if err != nil {
		return nil, err
	}
	defer time.AfterFunc(timeout, stop).Stop()
	defer context.AfterFunc(d.Stopping, stop)()
	for state := range states {
		job = state
		p.notify(ctx, job.Progress, job.Message)
	}
	return job, ctx.Err()
}

type jobListOutput struct{ view.JobList }

func (o jobListOutput) summary() string { return counted(o.Count, "job") }

func (d *door) jobs(ctx context.Context, _ noInput) (jobListOutput, error) {
	jobs, err := d.Resolver.Query().Jobs(ctx)
	if err != nil {
		return jobListOutput{}, err
	}
	return jobListOutput{view.NewJobList(jobs)}, nil
}
