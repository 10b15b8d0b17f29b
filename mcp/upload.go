package mcp

import (
	"context"
	"errors"
	"strings"

	"portico/graph/view"
	"portico/model"
)

// uploadStatus is the state of an upload in a response. The first two are the words of the
// responses to POST /files/upload-complete (API section 4, Uploads).
type uploadStatus string

const (
	uploadConfirmed  uploadStatus = "confirmed"
	uploadProcessing uploadStatus = "processing"
	uploadFailed     uploadStatus = "failed"
)

// uploadOutput is the output of the upload tools. An upload that a job processes has JobID and Job,
// and a confirmed one ResourceKey and URL.
type uploadOutput struct {
	Status      uploadStatus `json:"status" jsonschema:"confirmed: resource_key can be used. processing: wait for the job with get_job. failed: see job.error; no file is kept."`
	ResourceKey string       `json:"resource_key,omitempty" jsonschema:"The key to pass to create_space and create_entity; present when confirmed."`
	URL         string       `json:"url,omitempty" jsonschema:"The file's public address; present when confirmed."`
	JobID       string       `json:"job_id,omitempty" jsonschema:"The job that processes the file, for get_job; present for archives, conversions and very large files."`
	Job         *view.Job    `json:"job,omitempty" jsonschema:"The current state of the job."`
}

// summary returns the resource key, or the state of the job: the agent needs it for the next call.
func (o uploadOutput) summary() string {
	if o.Status == uploadConfirmed {
		return "Uploaded: resource_key " + o.ResourceKey
	}
	return jobOutput{*o.Job}.summary()
}

// isFailure implements outcome.
func (o uploadOutput) isFailure() bool { return o.Status == uploadFailed }

// textInput is the name and the text of a file.
type textInput struct {
	FileName string `json:"file_name" jsonschema:"The file's name, whose extension says what it is: .json, .gltf, .ply, .mjs, .path and others that Portico accepts."`
	FileText string `json:"file_text" jsonschema:"The whole text of the file; it is stored as UTF-8."`
}

func (d *door) uploadText(ctx context.Context, in textInput, p *progress) (uploadOutput, error) {
	if in.FileText == "" {
		return uploadOutput{}, model.InvalidField("file_text", "must not be empty")
	}
	confirmation, err := d.Resolver.StoreUpload(ctx,
		model.CreateUpload{FileName: in.FileName, FileSize: model.FileSize(len(in.FileText))}, strings.NewReader(in.FileText))
	if err != nil {
		return uploadOutput{}, renameSize(err, "file_text", "file_text")
	}
	return d.confirmationOutput(ctx, confirmation, p)
}

// renameSize returns the refusal of a size, which is no argument of the upload tools, as the refusal of
// the argument that the file comes from. subject replaces file_size in the message.
func renameSize(err error, argument, subject string) error {
	if refused, ok := errors.AsType[*model.Error](err); ok && refused.Field == "file_size" {
		return refused.RenameField(subject).WithField(argument)
	}
	return err
}

// confirmationOutput returns the output for an upload. If a job processes the upload, it waits for
// the job.
func (d *door) confirmationOutput(ctx context.Context, c *model.Confirmation, p *progress) (uploadOutput, error) {
	if c.File != nil {
		file := view.NewResource(d.Resolver, c.File)
		return uploadOutput{Status: uploadConfirmed, ResourceKey: file.ResourceKey, URL: file.URL}, nil
	}
	job, err := d.wait(ctx, c.Job, p)
	if err != nil {
		return uploadOutput{}, err
	}
	return d.newJobOutput(job).upload(), nil
}

// upload returns the output for an upload that the job processes.
func (o jobOutput) upload() uploadOutput {
	upload := uploadOutput{Status: uploadProcessing, JobID: o.JobID, Job: &o.Job}
	switch {
	case o.Result != nil:
		upload.Status, upload.ResourceKey, upload.URL = uploadConfirmed, o.Result.ResourceKey, o.Result.URL
	case o.JobStatus.IsTerminal():
		upload.Status = uploadFailed
	}
	return upload
}

// uploadTools returns the tools that upload files. Each call counts as the two operations that it
// calls.
func (d *door) uploadTools() []tool {
	operations := []string{"createUpload", "completeUpload"}
	const jobs = " Archives and very large files are processed by a job: the tool waits a while and reports progress; if the job takes longer, it answers with a job_id."
	return []tool{
		newTool(toolSpec{
			name: "upload_text_file", title: "Upload a text file", effect: creates, operations: operations,
			description: "Stores a text as a file of the account, and returns the resource_key for create_space and create_entity." + jobs,
		}, d.uploadText),
		newTool(toolSpec{
			name: "upload_file_from_url", title: "Upload a file from an address", effect: downloads, operations: operations,
			description: "Downloads a file from a public http or https address into the account, and returns the resource_key for create_space and create_entity." + jobs,
		}, d.uploadURL),
	}
}
