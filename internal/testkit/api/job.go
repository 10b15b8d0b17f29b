package api

import "strings"

// Job is a state of a job, from any of the APIs. GraphQL writes the status in capitals.
type Job struct {
	Status   string  `json:"job_status"`
	Progress float64 `json:"progress"`
	Message  string  `json:"message"`
	Result   *struct {
		ResourceKey string `json:"resource_key"`
		URL         string `json:"url"`
	} `json:"result"`
	Error *string `json:"error"`
}

// Ended reports whether the job has completed or failed.
func (j Job) Ended() bool {
	return strings.EqualFold(j.Status, "completed") || strings.EqualFold(j.Status, "failed")
}

// Job returns the current state of a job.
func (c *Client) Job(id string) Job {
	c.T.Helper()
	var j Job
	c.Call("GET", "/v1/jobs/"+id, nil).Want(200, &j)
	return j
}

// Poll polls the job until the condition is true, and returns the state of the job. It checks that
// the progress never decreases.
func (c *Client) Poll(id, what string, condition func(Job) bool) Job {
	c.T.Helper()
	var job Job
	Eventually(c.T, what, func() bool {
		last := job.Progress
		if job = c.Job(id); job.Progress < last {
			c.T.Errorf("progress: got %v after %v, want it never to decrease", job.Progress, last)
		}
		return condition(job)
	})
	return job
}

// Await polls the job until it has ended.
func (c *Client) Await(id string) Job {
	c.T.Helper()
	return c.Poll(id, "the job has ended", Job.Ended)
}
