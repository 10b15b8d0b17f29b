package rest

import (
	"testing"

	"portico/model"
)

// job uploads a zip and returns the id of its job, made at a time that tests know.
func (w *world) job(who account) string {
	w.t.Helper()
	body := completion(w.sendFile(who, "a.zip", "PK"))
	id := read[struct {
		JobID string `json:"job_id"`
	}](w.call(who, "POST", "/v1/files/upload-complete", body), 202).JobID
	w.exec("UPDATE jobs SET created_at = '2026-01-27T09:30:00Z', updated_at = '2026-01-27T09:30:01.5Z' WHERE id = '" + id + "'")
	return id
}

const jobTimes = `'created_at':'2026-01-27T09:30:00.000Z','updated_at':'2026-01-27T09:30:01.500Z'`

func TestJob_shows_how_far_it_has_come(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, change, want string }{
		{"queued", "status = 'queued'",
			`'job_status':'queued','progress':0,'message':'Waiting to be processed','result':null,'error':null`},
		{"processing", "status = 'processing', progress = 25.5, message = 'Extracting zip: 120 of 480 files'",
			`'job_status':'processing','progress':25.5,'message':'Extracting zip: 120 of 480 files','result':null,'error':null`},
		{"completed", "status = 'completed', progress = 100, message = 'Done', result_key = 'api_uploads/x/a.lcc2'",
			`'job_status':'completed','progress':100,'message':'Done','result':{'resource_key':'api_uploads/x/a.lcc2','url':'` +
				w.base + `/files/` + w.alice.id + `/api_uploads/x/a.lcc2'},'error':null`},
		{"failed", "status = 'failed', progress = 7, message = 'Failed', error = 'Entry <../x> leads out of the archive'",
			`'job_status':'failed','progress':7,'message':'Failed','result':null,'error':'Entry <../x> leads out of the archive'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := w.job(w.alice)
			w.exec("UPDATE jobs SET " + c.change + " WHERE id = '" + id + "'")
			w.call(w.alice, "GET", "/v1/jobs/"+id, "").want(200, `{'status':'ok','data':{'job_id':'`+id+`',`+c.want+`,`+jobTimes+`}}`)
		})
	}
}

func TestJob_is_its_owners_only(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.job(w.alice)
	w.call(w.bob, "GET", "/v1/jobs/"+id, "").refused(404, "Job not found")
	w.call(w.alice, "GET", "/v1/jobs/"+model.NewUUID(), "").refused(404, "Job not found")
}

func TestJobs_lists_the_callers_jobs_newest_first(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(w.alice, "GET", "/v1/jobs", "").want(200, `{'status':'ok','data':{'jobs':[],'count':0}}`)
	older, newer := w.job(w.alice), w.job(w.alice)
	w.job(w.bob)
	w.exec("UPDATE jobs SET created_at = '2026-01-27T09:29:00Z', type = 'file-processing' WHERE id = '" + older + "'")
	w.call(w.alice, "GET", "/v1/jobs", "").want(200, `{'status':'ok','data':{'jobs':[`+
		`{'job_id':'`+newer+`','type':'zip-processing','job_status':'queued','progress':0,'message':'Waiting to be processed',`+jobTimes+`},`+
		`{'job_id':'`+older+`','type':'file-processing','job_status':'queued','progress':0,'message':'Waiting to be processed',`+
		`'created_at':'2026-01-27T09:29:00.000Z','updated_at':'2026-01-27T09:30:01.500Z'}`+
		`],'count':2}}`)
}
