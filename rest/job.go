package rest

import (
	"net/http"

	"portico/graph/view"
)

// job handles GET /jobs/:jobId. The status for a failed job is 200, because the request has not
// failed (API section 7).
func (a *api) job(w http.ResponseWriter, r *http.Request) error {
	job, err := a.resolver.Query().Job(r.Context(), pathValue(r, "jobId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewJob(a.resolver, job))
}

// jobs responds to GET /jobs with the caller's jobs, newest first.
//
// count is the number of items (the API leaves it open).
func (a *api) jobs(w http.ResponseWriter, r *http.Request) error {
	jobs, err := a.resolver.Query().Jobs(r.Context())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewJobList(jobs))
}
