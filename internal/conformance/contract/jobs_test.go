package contract

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"portico/splat/splattest"
)

// startJob uploads a zip and returns the id of its job.
func (w *world) startJob(who account, name, content string) string {
	w.t.Helper()
	body := completion("success", w.sendFile(who, name, "application/zip", content))
	return w.send(w.t, w.call(who, "POST", "/v1/files/upload-complete", body)).data(w.t, "job_id")
}

// capture is a small LCC2 export.
func capture(t *testing.T) string {
	t.Helper()
	var zip bytes.Buffer
	_, err := splattest.Capture{Tiles: 2, TileBytes: 64, Collision: true}.WriteTo(&zip)
	check(t, err)
	return zip.String()
}

func TestGolden_jobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.golden("none", 200, "No job yet.", w.call(w.alice, "GET", "/v1/jobs", ""))
	w.golden("unknown", 404, "No such job.", w.call(w.alice, "GET", "/v1/jobs/none", ""))
	first := w.startJob(w.alice, "room.zip", "PK")
	w.golden("queued", 200, "A job that waits.", w.call(w.alice, "GET", "/v1/jobs/"+first, ""))
	w.golden("another-users", 404, "Another user's job is not there.", w.call(w.bob, "GET", "/v1/jobs/"+first, ""))
	w.exec("UPDATE jobs SET status = 'processing', progress = 25.5, message = 'Extracting zip: 120 of 480 files', created_at = created_at - interval '1 minute'")
	w.golden("processing", 200, "A job that is being worked on.", w.call(w.alice, "GET", "/v1/jobs/"+first, ""))
	w.startJob(w.alice, "house.zip", "PK")
	w.golden("list", 200, "The caller's jobs, newest first; count is the number of items.", w.call(w.alice, "GET", "/v1/jobs", ""))
}

func TestGolden_results(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.startWorker()
	captured := w.startJob(w.alice, "room.zip", capture(t))
	w.awaitEnd(captured)
	w.golden("completed", 200, "An LCC2 export is extracted; the resource key is the manifest's.",
		w.call(w.alice, "GET", "/v1/jobs/"+captured, ""))
	damaged := w.startJob(w.alice, "damaged.zip", strings.Repeat("no zip", 10))
	w.awaitEnd(damaged)
	w.golden("failed", 200, "A job that failed is a successful answer.", w.call(w.alice, "GET", "/v1/jobs/"+damaged, ""))
	w.exec("DELETE FROM jobs") // as the purge does, an hour after the end
	w.golden("forgotten", 404, "A job disappears one hour after it ended.", w.call(w.alice, "GET", "/v1/jobs/"+captured, ""))
}

// awaitEnd polls the job, as clients do, until it has completed or failed.
func (w *world) awaitEnd(id string) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 1500 {
		var got struct {
			Data struct {
				Status string `json:"job_status"`
			}
		}
		check(w.t, json.Unmarshal(w.send(w.t, w.call(w.alice, "GET", "/v1/jobs/"+id, "")).body, &got))
		if got.Data.Status == "completed" || got.Data.Status == "failed" {
			return
		}
		<-tick.C
	}
	w.t.Fatalf("job %s has not ended in time", id)
}
