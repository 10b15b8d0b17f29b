package mcp

import (
	"context"
	"fmt"
	"time"

	"portico/model"
)

// resourceView names what came of an upload.
type resourceView struct {
	ResourceKey string `json:"resource_key" jsonschema:"What create_space and create_entity take."`
	URL         string `json:"url" jsonschema:"The file's public address."`
}

// jobView is a job (API section 2, Job).
type jobView struct {
	JobID     string          `json:"job_id" jsonschema:"The job's id."`
	JobStatus model.JobStatus `json:"job_status" jsonschema:"queued and processing go on; completed and failed are the end."`
	Progress  float64         `json:"progress" jsonschema:"Percentage, 100 exactly when the job is completed."`
	Message   string          `json:"message" jsonschema:"What the job is doing, with figures."`
	Result    *resourceView   `json:"result" jsonschema:"What came of it; null until the job is completed."`
	Error     *string         `json:"error" jsonschema:"Why the job failed; null unless it did."`
	CreatedAt model.Time      `json:"created_at" jsonschema:"When the job was started."`
	UpdatedAt model.Time      `json:"updated_at" jsonschema:"When the job last changed."`
}

func (v jobView) summary() string {
	switch {
	case v.Error != nil:
		return fmt.Sprintf("Job %s failed: %s", v.JobID, *v.Error)
	case v.Result != nil:
		return fmt.Sprintf("Job %s is completed: resource_key %s", v.JobID, v.Result.ResourceKey)
	}
	return fmt.Sprintf("Job %s is %s at %.0f %%: %s", v.JobID, v.JobStatus, v.Progress, v.Message)
}

// viewJob returns the job as clients see it.
func (d *door) viewJob(job *model.Job, err error) (jobView, error) {
	if err != nil {
		return jobView{}, err
	}
	view := jobView{
		JobID: job.ID, JobStatus: job.Status, Progress: job.Progress, Message: job.Message,
		CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt, Error: job.Failure(),
	}
	if address := d.Resolver.JobURL(job); address != nil {
		view.Result = &resourceView{ResourceKey: job.ResultKey, URL: *address}
	}
	return view, nil
}

// jobInput names a job.
type jobInput struct {
	JobID string `json:"job_id" jsonschema:"The job: job_id of an upload tool or of list_jobs."`
	Wait  *bool  `json:"wait,omitempty" jsonschema:"Whether to answer only when the job has ended, or after some time; false unless told. Better than asking again and again."`
}

// job answers for a job that failed as for any other: the question did not fail.
func (d *door) job(ctx context.Context, in jobInput, p *progress) (jobView, error) {
	job, err := d.Resolver.Query().Job(ctx, in.JobID)
	if err == nil && in.Wait != nil && *in.Wait {
		job, err = d.wait(ctx, job, p)
	}
	return d.viewJob(job, err)
}

// wait returns the job when it has ended, or as it is when the time is up, and
// reports how far it is until then. Where too many calls wait already it does not
// wait at all: the answer is as true and comes sooner.
func (d *door) wait(ctx context.Context, job *model.Job, p *progress) (*model.Job, error) {
	release, ok := d.waits.Acquire(job.UserID)
	if !ok {
		return job, nil
	}
	defer release()
	patience := d.shortWait
	if p.asked() {
		patience = d.longWait
	}
	waiting, enough := context.WithCancel(ctx)
	defer enough()
	states, err := d.Resolver.Subscription().Job(waiting, job.ID)
	if err != nil {
		return nil, err
	}
	defer time.AfterFunc(patience, enough).Stop()
	defer context.AfterFunc(d.Stopping, enough)()
	for state := range states {
		job = state
		p.tell(ctx, job.Progress, job.Message)
	}
	return job, ctx.Err()
}

// jobItem is a job in the list, which has a type and no result nor error.
type jobItem struct {
	JobID     string          `json:"job_id" jsonschema:"The job's id."`
	Type      model.JobType   `json:"type" jsonschema:"zip-processing looks into an archive, file-processing checks a very large file or converts one."`
	JobStatus model.JobStatus `json:"job_status" jsonschema:"queued and processing go on; completed and failed are the end."`
	Progress  float64         `json:"progress" jsonschema:"Percentage, 100 exactly when the job is completed."`
	Message   string          `json:"message" jsonschema:"What the job is doing, with figures."`
	CreatedAt model.Time      `json:"created_at" jsonschema:"When the job was started."`
	UpdatedAt model.Time      `json:"updated_at" jsonschema:"When the job last changed."`
}

// jobList is not paged: jobs are there for an hour after they ended.
type jobList struct {
	Jobs  []jobItem `json:"jobs" jsonschema:"The jobs, newest first."`
	Count int       `json:"count" jsonschema:"How many there are."`
}

func (l jobList) summary() string { return fmt.Sprintf("%d jobs", l.Count) }

func (d *door) listJobs(ctx context.Context, _ noInput) (jobList, error) {
	jobs, err := d.Resolver.Query().Jobs(ctx)
	if err != nil {
		return jobList{}, err
	}
	items := make([]jobItem, len(jobs))
	for i, job := range jobs {
		items[i] = jobItem{
			JobID: job.ID, Type: job.Type, JobStatus: job.Status, Progress: job.Progress,
			Message: job.Message, CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt,
		}
	}
	return jobList{Jobs: items, Count: len(items)}, nil
}
