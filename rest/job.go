package rest

import (
	"net/http"

	"portico/model"
)

// jobView is a job (API section 2, Job). Result and Error are null until there
// is one.
type jobView struct {
	JobID     string          `json:"job_id"`
	JobStatus model.JobStatus `json:"job_status"`
	// Progress is a percentage, 100 exactly when the job is completed.
	Progress  float64       `json:"progress"`
	Message   string        `json:"message"`
	Result    *resourceView `json:"result"`
	Error     *string       `json:"error"`
	CreatedAt model.Time    `json:"created_at"`
	UpdatedAt model.Time    `json:"updated_at"`
}

// jobItemView is a job in the list, which has a type and no result nor error.
type jobItemView struct {
	JobID     string          `json:"job_id"`
	Type      model.JobType   `json:"type"`
	JobStatus model.JobStatus `json:"job_status"`
	Progress  float64         `json:"progress"`
	Message   string          `json:"message"`
	CreatedAt model.Time      `json:"created_at"`
	UpdatedAt model.Time      `json:"updated_at"`
}

// jobListView is not paged: jobs are there for an hour after they ended.
type jobListView struct {
	Jobs []jobItemView `json:"jobs"`
	// Count is the number of items (contract, Uploads and jobs).
	Count int `json:"count"`
}

// job answers GET /jobs/:jobId. A failed job is an answer like any other: what
// failed is the job, not the request (API section 7).
func (a *api) job(w http.ResponseWriter, r *http.Request) error {
	job, err := a.resolver.Query().Job(r.Context(), pathValue(r, "jobId"))
	if err != nil {
		return err
	}
	return respondOK(w, a.viewJob(job))
}

// viewJob returns the job as clients see it.
func (a *api) viewJob(job *model.Job) *jobView {
	view := &jobView{
		JobID: job.ID, JobStatus: job.Status, Progress: job.Progress, Message: job.Message,
		CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt, Error: job.Failure(),
	}
	if address := a.resolver.JobURL(job); address != nil {
		view.Result = &resourceView{ResourceKey: job.ResultKey, URL: *address}
	}
	return view
}

// jobs answers GET /jobs: the caller's jobs, newest first.
func (a *api) jobs(w http.ResponseWriter, r *http.Request) error {
	jobs, err := a.resolver.Query().Jobs(r.Context())
	if err != nil {
		return err
	}
	views := make([]jobItemView, len(jobs))
	for i, job := range jobs {
		views[i] = jobItemView{
			JobID: job.ID, Type: job.Type, JobStatus: job.Status, Progress: job.Progress,
			Message: job.Message, CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt,
		}
	}
	return respondOK(w, jobListView{Jobs: views, Count: len(views)})
}
