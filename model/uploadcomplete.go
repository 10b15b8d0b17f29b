package model

// CompleteUpload is the input of completeUpload.
type CompleteUpload struct {
	// Status is "success" when the bytes were sent; any other value discards the upload.
	Status string
	// FileURL is the upload address, with or without its query.
	FileURL string
}

// StatusSuccess is the status of an upload whose bytes were sent (API section 4).
const StatusSuccess = "success"

// Validate refuses a missing status, which would otherwise discard the bytes, and a missing or too
// long address.
func (in CompleteUpload) Validate() error {
	if in.Status == "" {
		return InvalidField("status", "is required")
	}
	if in.FileURL == "" {
		return InvalidField("extra_info.file_url", "is required")
	}
	return checkText("extra_info.file_url", in.FileURL, 4096)
}

// Confirmation is the result of a confirmed upload. It has either the stored file, or the job that
// processes the upload.
type Confirmation struct {
	File *File
	Job  *Job
}

// ConfirmedUpload is a confirmation as a union type: FileStored or JobStarted.
type ConfirmedUpload interface{ IsConfirmation() }

// FileStored is the confirmation of an upload that was stored as a file.
type FileStored struct{ File *File }

// JobStarted is the confirmation of an upload that a job processes.
type JobStarted struct{ Job *Job }

// IsConfirmation implements ConfirmedUpload.
func (*FileStored) IsConfirmation() {}

// IsConfirmation implements ConfirmedUpload.
func (*JobStarted) IsConfirmation() {}

// Confirmed returns the confirmation as a union type.
func (c *Confirmation) Confirmed() ConfirmedUpload {
	if c.Job != nil {
		return &JobStarted{Job: c.Job}
	}
	return &FileStored{File: c.File}
}
