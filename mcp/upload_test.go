package mcp

import (
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

func TestUploadTextFile_stores_the_text(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	response := w.call(w.alice, "upload_text_file", `{"file_name":"notes.json","file_text":"{\"ä\":\"<&>\"}"}`)
	got := read[uploadOutput](response)
	equal(t, "status", got.Status, uploadConfirmed)
	equal(t, "address", got.URL, "https://portico.example/files/"+w.alice.id+"/"+got.ResourceKey)
	summary, _ := response.text()
	equal(t, "summary", summary, "Uploaded: resource_key "+got.ResourceKey)
	equal(t, "bytes", w.stored(w.alice, got.ResourceKey), `{"ä":"<&>"}`)
	file, err := w.db.Files().FileOf(t.Context(), w.alice.id, got.ResourceKey)
	check(t, err)
	equal(t, "content type", file.ContentType, "application/json")
}

func (w *world) stored(who *account, resourceKey string) string {
	w.t.Helper()
	return readAll(w.t, w.disk, who.id+"/"+resourceKey)
}

func TestUploadTextFile_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name, arguments string
		code            model.Code
		message         string
	}{
		{"no name", `{"file_text":"x"}`, model.CodeInvalid, "file_name is required"},
		{"no text", `{"file_name":"a.json"}`, model.CodeInvalid, "file_text is required"},
		{"an empty text", `{"file_name":"a.json","file_text":""}`, model.CodeInvalid, "file_text must not be empty"},
		{"another format", `{"file_name":"a.txt","file_text":"x"}`, model.CodeInvalid, "file_name must end in one of ." + strings.Join(model.DefaultFormats, ", .")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w.call(w.alice, "upload_text_file", test.arguments).refused(test.code, test.message)
		})
	}
}

// textOf is the arguments of a file with so many bytes.
func textOf(name string, bytes int) string {
	return fmt.Sprintf(`{"file_name":%q,"file_text":%q}`, name, strings.Repeat("x", bytes))
}

func TestUploadTextFile_over_the_storage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 10 {
		read[uploadOutput](w.call(w.alice, "upload_text_file", textOf("a.json", testThreshold)))
	}
	w.call(w.alice, "upload_text_file", textOf("a.json", 1)).refused(model.CodeQuotaExceeded, "Storage quota exceeded")
}

func TestUploadTextFile_waits_for_its_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	response := w.call(w.alice, "upload_text_file", textOf("large.ply", testThreshold+1))
	got := read[uploadOutput](response)
	equal(t, "status", got.Status, uploadConfirmed)
	equal(t, "job", got.Job.JobStatus, model.JobCompleted)
	equal(t, "job_id", got.JobID, got.Job.JobID)
	equal(t, "bytes", len(w.stored(w.alice, got.ResourceKey)), testThreshold+1)
}

func TestUploadTextFile_says_why_its_job_failed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	got := w.call(w.alice, "upload_text_file", `{"file_name":"scene.zip","file_text":"no zip at all"}`)
	summary, data := got.text()
	if !got.IsError || !strings.Contains(summary, "failed: ") || !strings.Contains(data, `"status":"failed"`) {
		t.Errorf("result: got %q and %s (error %t), want why the job failed", summary, data, got.IsError)
	}
}

func TestUploadTextFile_answers_with_the_job_when_it_takes_long(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // and nobody works
	w.door.shortWait = 0
	got := read[uploadOutput](w.call(w.alice, "upload_text_file", textOf("large.ply", testThreshold+1)))
	equal(t, "status", got.Status, uploadProcessing)
	equal(t, "resource key", got.ResourceKey, "")
	if got.Job == nil || got.JobID == "" || got.Job.JobStatus != model.JobQueued {
		t.Errorf("job: got %q and %+v, want the one that is queued", got.JobID, got.Job)
	}
}

// withToken asks for the progress of a call.
func withToken(name, arguments, token string) *sdk.CallToolParams {
	params := &sdk.CallToolParams{Name: name, Arguments: rawJSON(arguments)}
	params.SetProgressToken(token)
	return params
}
