package view

import (
	"portico/graph"
	"portico/model"
)

// Job is a job (API section 2, Job).
type Job struct {
	JobID     string          `json:"job_id" jsonschema:"The job's id."`
	JobStatus model.JobStatus `json:"job_status" jsonschema:"queued and processing can still change; completed and failed are final."`
	// Progress is a percentage, 100 exactly when the job is completed.
	Progress  float64    `json:"progress" jsonschema:"Percentage, 100 exactly when the job is completed."`
	Message   string     `json:"message" jsonschema:"What the job is doing, with figures."`
	Result    *Resource  `json:"result" jsonschema:"The resulting file; null until the job is completed."`
	Error     *string    `json:"error" jsonschema:"Why the job failed; null unless it did."`
	CreatedAt model.Time `json:"created_at" jsonschema:"When the job was started."`
	UpdatedAt model.Time `json:"updated_at" jsonschema:"When the job last changed."`
}

// JobItem is a job in a list. It has the type of the job, but not the result and the error.
type JobItem struct {
	JobID     string          `json:"job_id" jsonschema:"The job's id."`
	Type      model.JobType   `json:"type" jsonschema:"zip-processing inspects an archive, file-processing checks a very large file or converts one."`
	JobStatus model.JobStatus `json:"job_status" jsonschema:"queued and processing can still change; completed and failed are final."`
	Progress  float64         `json:"progress" jsonschema:"Percentage, 100 exactly when the job is completed."`
	Message   string          `json:"message" jsonschema:"What the job is doing, with figures."`
	CreatedAt model.Time      `json:"created_at" jsonschema:"When the job was started."`
	UpdatedAt model.Time      `json:"updated_at" jsonschema:"When the job last changed."`
}

// JobList is a list of jobs. It has no pages, because REST and MCP show jobs only for a while after
// their end.
type JobList struct {
	Jobs []JobItem `json:"jobs" jsonschema:"The jobs, newest first."`
	// Count is the number of items.
	Count int `json:"count" jsonschema:"How many there are."`
}

// NewJob returns a job with the address of its result, if it has one.
func NewJob(r *graph.Resolver, job *model.Job) Job {
	view := Job{
		JobID: job.ID, JobStatus: job.Status, Progress: job.Progress, Message: job.Message,
		CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt, Error: job.Failure(),
	}
	if address := r.JobURL(job); address != nil {
		view.Result = &Resource{ResourceKey: job.ResultKey, URL: *address}
	}
	return view
}

// NewJobList returns the view of a caller's jobs.
func NewJobList(jobs []*model.Job) JobList {
	items := make([]JobItem, len(jobs))
	for i, job := range jobs {
		items[i] = JobItem{
			JobID: job.ID, Type: job.Type, JobStatus: job.Status, Progress: job.Progress,
			Message: job.Message, CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt,
		}
	}
	return JobList{Jobs: items, Count: len(items)}
}
