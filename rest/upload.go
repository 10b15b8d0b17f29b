package rest

import (
	"cmp"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// The upload types. The specification knows the first only (API section 2, Upload parameters).
const (
	presignedURL = "presigned_url"
	resumableURL = "resumable_url"
)

// Our texts of a confirmation. They do not depend on how far the job is: the
// same confirmation again gets the same answer.
const (
	messageProcessing = "File is being processed, poll poll_url until the job has ended"
	messageDiscarded  = "Upload discarded"
)

// createUploadBody is the body of POST /files/upload (API section 4, Uploads).
// The fields are pointers: a missing one is not the same as an empty one.
type createUploadBody struct {
	FileName *string `json:"file_name"`
	// FileSize is the exact number of bytes: the presigned URL takes no other.
	FileSize *model.FileSize `json:"file_size"`
	// ContentType is the media type that the upload must be sent with.
	ContentType *string `json:"content_type"`
	// ConvertTo may be left out. It is ours: the specification has no such field.
	ConvertTo model.ConversionTarget `json:"convert_to"`
	// Resumable is ours too: the bytes can then be sent in pieces.
	Resumable bool `json:"resumable"`
	// Parts is ours too: how many pieces can be sent at the same time.
	Parts int `json:"parts"`
}

// check refuses a body without one of the fields.
func (b createUploadBody) check() error {
	return cmp.Or(
		required("file_name", b.FileName),
		required("file_size", b.FileSize),
		required("content_type", b.ContentType),
	)
}

// uploadView is the answer to POST /files/upload (API section 2, Upload
// parameters).
type uploadView struct {
	UploadType string           `json:"upload_type"`
	Params     uploadParamsView `json:"params"`
}

// uploadParamsView is the request that sends the bytes.
type uploadParamsView struct {
	// URL is a secret until it expires: it carries a signature.
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	// Parts are missing in an upload that is sent in order.
	Parts []uploadPartView `json:"parts,omitempty"`
}

// uploadPartView is a part of an upload, which has an address of its own.
type uploadPartView struct {
	URL    string `json:"url"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// createUpload answers POST /files/upload.
func (a *api) createUpload(w http.ResponseWriter, r *http.Request) error {
	var body createUploadBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	params, err := a.resolver.Mutation().CreateUpload(r.Context(), model.CreateUpload{
		FileName: *body.FileName, FileSize: *body.FileSize, ContentType: *body.ContentType, ConvertTo: body.ConvertTo,
		Resumable: body.Resumable, Parts: body.Parts,
	})
	if err != nil {
		return err
	}
	// An object here and a list in GraphQL, which knows no maps.
	headers := make(map[string]string, len(params.Headers))
	for _, header := range params.Headers {
		headers[header.Name] = header.Value
	}
	kind := presignedURL
	if body.Resumable {
		kind = resumableURL
	}
	var parts []uploadPartView
	for _, part := range params.Parts {
		parts = append(parts, uploadPartView{part.URL, part.Offset, part.Size})
	}
	return respondOK(w, uploadView{kind, uploadParamsView{params.URL, params.Method, headers, parts}})
}

// completeUploadBody is the body of POST /files/upload-complete. What is
// missing in it is named by the resolver, as for every door.
type completeUploadBody struct {
	Status    string `json:"status"`
	ExtraInfo struct {
		// FileURL is the presigned URL, with or without its query.
		FileURL string `json:"file_url"`
	} `json:"extra_info"`
}

// pendingView is the answer for a file that a job works on.
type pendingView struct {
	JobID string `json:"job_id"`
	// PollURL is a path under the prefix that the request came by.
	PollURL string `json:"poll_url"`
}

// completeUpload answers POST /files/upload-complete: 202 with a job to poll,
// 200 with the file, or 200 with neither when the upload was given up (contract,
// Uploads and jobs).
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
	case confirmation.Job != nil:
		id := confirmation.Job.ID
		return respond(w, http.StatusAccepted, envelope{
			Status: statusProcessing, Message: messageProcessing,
			Data: pendingView{JobID: id, PollURL: prefixOf(r) + "/jobs/" + id},
		})
	case confirmation.File != nil:
		return respond(w, http.StatusOK, envelope{
			Status: statusConfirmed, Data: view.NewResource(a.resolver, confirmation.File),
		})
	}
	return respond(w, http.StatusOK, envelope{Status: statusOK, Message: messageDiscarded})
}
