package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// The texts of a confirmation. They do not depend on the progress of the job, because a repeated
// confirmation gets the same response.
const (
	messageProcessing = "File is being processed, poll poll_url until the job has ended"
	messageDiscarded  = "Upload discarded"
)

// completeUploadBody is the body of POST /files/upload-complete. The resolver refuses a body with a
// missing field.
type completeUploadBody struct {
	Status    string `json:"status"`
	ExtraInfo struct {
		// FileURL is the presigned URL, with or without its query.
		FileURL string `json:"file_url"`
	} `json:"extra_info"`
}

// pendingView is the response for an upload that a job processes.
type pendingView struct {
	JobID string `json:"job_id"`
	// PollURL is the path of the job under the prefix of the request.
	PollURL string `json:"poll_url"`
}

// completeUpload handles POST /files/upload-complete: 200 without data for an upload that was
// discarded, 202 with a job to poll, or 200 with the file.
func (a *api) completeUpload(w http.ResponseWriter, r *http.Request) error {
	var body completeUploadBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	confirmation, err := a.resolver.Mutation().CompleteUpload(r.Context(),
		model.CompleteUpload{Status: body.Status, FileURL: body.ExtraInfo.FileURL})
	switch {
	case err != nil:
		return err
	case confirmation == nil:
		return respond(w, http.StatusOK, envelope{Status: statusOK, Message: messageDiscarded})
	case confirmation.Job != nil:
		id := confirmation.Job.ID
		return respond(w, http.StatusAccepted, envelope{
			Status: statusProcessing, Message: messageProcessing,
			Data: pendingView{JobID: id, PollURL: prefixOf(r) + "/jobs/" + id},
		})
	}
	return respond(w, http.StatusOK, envelope{
		Status: statusConfirmed, Data: view.NewResource(a.resolver, confirmation.File),
	})
}
