package mcp

import (
	"context"
	"fmt"
	"strings"

	"portico/graph/view"
	"portico/model"
)

// uploadStatus is how far an upload has come when the tool answers. The first two
// are the words of upload-complete.
type uploadStatus string

const (
	uploadConfirmed  uploadStatus = "confirmed"
	uploadProcessing uploadStatus = "processing"
	uploadFailed     uploadStatus = "failed"
)

// uploadAnswer is the answer to the upload tools.
type uploadAnswer struct {
	Status      uploadStatus `json:"status" jsonschema:"confirmed: resource_key can be used. processing: wait for the job with get_job. failed: see job.error; nothing is kept."`
	ResourceKey string       `json:"resource_key,omitempty" jsonschema:"What create_space and create_entity take; there when confirmed."`
	URL         string       `json:"url,omitempty" jsonschema:"The file's public address; there when confirmed."`
	JobID       string       `json:"job_id,omitempty" jsonschema:"The job that works on the file, for get_job; there for archives and very large files."`
	Job         *view.Job    `json:"job,omitempty" jsonschema:"The job as it is now."`
}

// summary says what to do next: a resource key is there, or the job is not done.
func (a uploadAnswer) summary() string {
	if a.Status == uploadConfirmed {
		return "Uploaded: resource_key " + a.ResourceKey
	}
	return jobAnswer{*a.Job}.summary()
}

// failed implements failure.
func (a uploadAnswer) failed() bool { return a.Status == uploadFailed }

// textInput is a file that an agent has written.
type textInput struct {
	FileName string `json:"file_name" jsonschema:"The file's name, whose extension says what it is: .json, .gltf, .ply, .mjs, .path and others that Portico takes."`
	FileText string `json:"file_text" jsonschema:"The whole text of the file; it is stored as UTF-8."`
}

func (d *door) uploadText(ctx context.Context, in textInput, p *progress) (uploadAnswer, error) {
	if in.FileText == "" {
		return uploadAnswer{}, model.Invalidf("file_text must not be empty")
	}
	confirmation, err := d.Resolver.StoreUpload(ctx,
		model.CreateUpload{FileName: in.FileName, FileSize: model.FileSize(len(in.FileText))}, strings.NewReader(in.FileText))
	return d.confirmed(ctx, confirmation, err, p)
}

// confirmed answers for an upload; where a job works on it, it waits for the job.
func (d *door) confirmed(ctx context.Context, c *model.Confirmation, err error, p *progress) (uploadAnswer, error) {
	if err != nil {
		return uploadAnswer{}, err
	}
	if c.File != nil {
		file := view.NewResource(d.Resolver, c.File)
		return uploadAnswer{Status: uploadConfirmed, ResourceKey: file.ResourceKey, URL: file.URL}, nil
	}
	if c.Job == nil { // cannot be: the upload was not given up
		return uploadAnswer{}, fmt.Errorf("a confirmed upload is neither a file nor a job")
	}
	job, err := d.wait(ctx, c.Job, p)
	answer, err := d.newJobAnswer(job, err)
	return answer.upload(), err
}

// upload returns the state of the upload that the job works on.
func (a jobAnswer) upload() uploadAnswer {
	upload := uploadAnswer{Status: uploadProcessing, JobID: a.JobID, Job: &a.Job}
	switch {
	case a.Result != nil:
		upload.Status, upload.ResourceKey, upload.URL = uploadConfirmed, a.Result.ResourceKey, a.Result.URL
	case a.JobStatus.Terminal():
		upload.Status = uploadFailed
	}
	return upload
}

// uploadTools are the tools that bring files in. Each counts as the two requests
// that it stands for.
func (d *door) uploadTools() []tool {
	operations := []string{"createUpload", "completeUpload"}
	const jobs = " Archives and very large files are processed: the tool waits for that a while and reports progress, then answers with a job_id."
	return []tool{
		newTool(card{
			name: "upload_text_file", title: "Upload a text file", effect: adds, operations: operations,
			description: "Stores a text as a file of the account and returns its resource_key, for create_space and create_entity." + jobs,
		}, d.uploadText),
		newTool(card{
			name: "upload_file_from_url", title: "Upload a file from an address", effect: fetches, operations: operations,
			description: "Downloads a file from a public http or https address into the account and returns its resource_key, for create_space and create_entity." + jobs,
		}, d.uploadURL),
	}
}
