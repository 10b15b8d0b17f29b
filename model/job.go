package model

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// JobType is the type of a job in the lists that clients see.
type JobType string

// The job types (API section 2, Job).
const (
	JobZip  JobType = "zip-processing"  // inspects an uploaded archive
	JobFile JobType = "file-processing" // checks a file over the asynchronous threshold, or converts one
)

// JobStatus is the state of a job (API section 3).
type JobStatus string

// The job states. Completed and failed are terminal.
const (
	JobQueued     JobStatus = "queued"
	JobProcessing JobStatus = "processing"
	JobCompleted  JobStatus = "completed"
	JobFailed     JobStatus = "failed"
)

// IsTerminal reports whether the state is final.
func (s JobStatus) IsTerminal() bool { return s == JobCompleted || s == JobFailed }

// The texts of jobs that clients see.
const (
	JobNotFound      = "Job not found"
	JobQueuedMessage = "Waiting to be processed"
	// JobStartedMessage is the message until the worker reports its first step.
	JobStartedMessage = "Processing"
	JobFailedMessage  = "Failed"
	JobCanceled       = "Canceled"
)

// JobHasEnded refuses to cancel a job that has ended.
func JobHasEnded() *Error {
	return Invalidf("The job has already ended").WithField("id").WithReason(ReasonEnded)
}

// Job is background work on an upload, as clients see it. River runs it.
type Job struct {
	ID     string `bun:",pk"`
	UserID string
	// Sequence orders jobs by creation.
	Sequence int64 `bun:",nullzero"`
	UploadID string
	Type     JobType
	Status   JobStatus
	// Progress is a percentage. It starts at 0, never decreases, and is 100 only when the job
	// is completed.
	Progress float64
	// Message is what the job does, as an English sentence.
	Message string
	// The last step that an attempt has reported, and the number of that attempt. The method Step
	// checks whether they are up to date.
	StepName            JobStepName `bun:",nullzero"`
	StepDone, StepTotal int64       `bun:",nullzero"`
	StepAttempt         int         `bun:",nullzero"`
	// ResultKey is the resource key of the resulting file.
	ResultKey string `bun:",nullzero"`
	// Error says why the job failed.
	Error string `bun:",nullzero"`
	// ConvertTo is the format that the job converts to; empty if it does not convert.
	ConvertTo ConversionTarget `bun:",nullzero"`
	// SourceKey is the resource key of the file that the job converts or takes a capture out of; empty
	// for a job that processes the bytes of the upload.
	SourceKey string `bun:",nullzero"`
	// Capture is the name of the capture that the job takes out of SourceKey, a zip of several; empty
	// for none.
	Capture string `bun:",nullzero"`
	// Edits are the changes of the conversion; empty for none.
	Edits Edits `bun:",nullzero"`
	// Replacement is the entity that shows the result instead of the source; nil for none.
	Replacement *Replacement `bun:"type:jsonb,nullzero"`
	// Attempt is the number of the current attempt. Writes of other attempts are refused, so
	// that a worker that was presumed dead cannot change the job.
	Attempt int
	// CountedAttempts is the number of attempts without those that requeued the job, because their
	// worker stopped or a service was down. Its column has an older name, tries.
	CountedAttempts int `bun:"tries"`

	CreatedAt Time
	UpdatedAt Time
	// StartedAt is the start of the latest attempt; zero before the first.
	StartedAt Time `bun:",nullzero"`
	EndedAt   Time `bun:",nullzero"`
}

// NewJob returns a queued job that processes the upload.
func NewJob(upload *Upload) *Job {
	now := Now()
	job := &Job{
		ID: NewUUID(), UserID: upload.UserID, UploadID: upload.ID, Type: JobFile, Status: JobQueued,
		Message: JobQueuedMessage, ConvertTo: upload.ConvertTo, CreatedAt: now, UpdatedAt: now,
	}
	if upload.IsZip() {
		job.Type = JobZip
	}
	return job
}

// Cursor returns the job's cursor in lists.
func (j *Job) Cursor() string { return Cursor(j.Sequence) }

// Key implements Sortable.
func (j *Job) Key(OrderField) (int64, string) { return j.Sequence, "" }

// JobConnection is one page of jobs, newest first.
type JobConnection Connection[*Job]

// Edges returns the jobs with their cursors.
func (c *JobConnection) Edges() []JobEdge { return edgesOf[*Job, JobEdge](c.Nodes, c.Order) }

// JobEdge is a job with its cursor.
type JobEdge Edge[*Job]

// JobStepName names what a running job does.
type JobStepName string

// The steps of jobs. jobSteps has their words.
const (
	JobReadingFile      JobStepName = "reading-file"      // copies the files of a conversion to the worker
	JobReadingZip       JobStepName = "reading-zip"       // reads the directory of an archive
	JobReadingPage      JobStepName = "reading-page"      // looks for the capture in a page
	JobCheckingFile     JobStepName = "checking-file"     // reads a large file to its end
	JobCheckingZip      JobStepName = "checking-zip"      // reads all files of an archive that is kept
	JobExtractingZip    JobStepName = "extracting-zip"    // unpacks the files of an archive
	JobUnpackingPage    JobStepName = "unpacking-page"    // stores the capture in a page
	JobConverting       JobStepName = "converting"        // converts a capture
	JobDrawingTurntable JobStepName = "drawing-turntable" // draws the frames of a turntable
	JobStoring          JobStepName = "storing"           // stores the files that were made
)

// JobUnit is what the figures of a step count.
type JobUnit string

// The units of the figures of a step.
const (
	UnitBytes   JobUnit = "bytes"
	UnitFiles   JobUnit = "files"
	UnitPercent JobUnit = "percent"
)

// jobSteps has the English words of each step, and the unit of its figures; "" for a step that never
// has figures.
var jobSteps = map[JobStepName]struct {
	words string
	unit  JobUnit
}{
	JobReadingFile:      {"Reading file", UnitBytes},
	JobReadingZip:       {"Reading zip", ""},
	JobReadingPage:      {"Reading page", ""},
	JobCheckingFile:     {"Checking file", UnitBytes},
	JobCheckingZip:      {"Checking zip", UnitFiles},
	JobExtractingZip:    {"Extracting zip", UnitFiles},
	JobUnpackingPage:    {"Taking the capture out of the page", UnitBytes},
	JobConverting:       {"Converting", UnitPercent},
	JobDrawingTurntable: {"Converting", UnitPercent},
	JobStoring:          {"Storing the result", UnitFiles},
}

// JobStepNames returns the names of all steps.
func JobStepNames() []JobStepName { return slices.Sorted(maps.Keys(jobSteps)) }

// JobStep is what a running job does, with figures.
type JobStep struct {
	Name JobStepName
	// Done of Total are done, in the unit of the step. Total is 0 for a step without figures.
	Done, Total int64
	// Detail is what the converter says about its own step. It is stored in the message only.
	Detail string
}

// Unit returns what Done and Total count; nil for a step without figures.
func (s JobStep) Unit() *JobUnit {
	if s.Total == 0 {
		return nil
	}
	unit := jobSteps[s.Name].unit
	return &unit
}

// Message returns the step as an English sentence (API section 2, Job).
func (s JobStep) Message() string {
	step := jobSteps[s.Name]
	switch {
	case step.unit == UnitFiles:
		return fmt.Sprintf("%s: %d of %d files", step.words, s.Done, s.Total)
	case step.unit == UnitBytes && s.Total > 0:
		return fmt.Sprintf("%s: %s of %s", step.words, formatBytes(s.Done), formatBytes(s.Total))
	case step.unit == UnitPercent:
		return step.words + ": " + lowerFirst(s.Detail)
	}
	return step.words
}

// Step returns what the job does now; nil if the job is not processing, or if its current attempt
// has reported no step.
//
// A worker of an older version stores a message without a step, so the row may still have the step
// of an attempt before. StepAttempt is not the current attempt then. A step that only a newer version
// knows is nil too.
func (j *Job) Step() *JobStep {
	if _, known := jobSteps[j.StepName]; !known || j.Status != JobProcessing || j.StepAttempt != j.Attempt {
		return nil
	}
	return &JobStep{Name: j.StepName, Done: j.StepDone, Total: j.StepTotal}
}

// formatBytes returns a size as text for people, in MB or GB.
func formatBytes(bytes int64) string {
	const mb, gb = 1e6, 1e9
	if bytes < gb {
		return fmt.Sprintf("%.0f MB", float64(bytes)/mb)
	}
	return fmt.Sprintf("%.2f GB", float64(bytes)/gb)
}

// lowerFirst returns the text with its first letter in lower case.
func lowerFirst(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}

// HTTPStatus returns the HTTP status of the code, which is the same at every door (API section 7).
func (c Code) HTTPStatus() int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeInvalidFiles:
		return http.StatusUnprocessableEntity
	case CodeUnauthenticated:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeConflict:
		return http.StatusConflict
	case CodeLocked:
		return http.StatusLocked
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeQuotaExceeded:
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// HTTPStatus returns the HTTP status of the error: the one of its code, but 503 while the database
// does not answer.
func (e *Error) HTTPStatus() int {
	if e.IsOutage() {
		return http.StatusServiceUnavailable
	}
	return e.Code.HTTPStatus()
}

// ResourceMetadataPath is the path of the OAuth metadata of the server (RFC 9728 section 3.1). The
// path of a resource follows it. Package oauth serves the metadata, and every response with the
// status 401 has its address.
const ResourceMetadataPath = "/.well-known/oauth-protected-resource"

// RetrySeconds returns a wait in whole seconds, rounded up, and at least 1, so that a client that
// waits this long is not refused again.
func RetrySeconds(wait time.Duration) int {
	return int(max(1, (wait+time.Second-1)/time.Second))
}

// OperatedJob is a job as operators see it.
type OperatedJob struct {
	Job
	OwnerEmail string
	// Repeated reports whether a newer job is the same conversion of the same file.
	Repeated bool
}

// CanRetry reports whether the job can be started again: only a failed conversion can, because its
// source file is kept, and only once. The bytes of a failed upload are deleted.
func (j *OperatedJob) CanRetry() bool { return j.RetryRefusal() == nil }

// RetryRefusal returns the error that refuses to start the job again; nil if CanRetry.
func (j *OperatedJob) RetryRefusal() error {
	if j.Repeated {
		return Invalidf("A newer job has already started this conversion again").WithField("jobId").WithReason(ReasonEnded)
	}
	if j.Status == JobFailed && j.SourceKey != "" {
		return nil
	}
	return Invalidf("Only a failed conversion can start again. The bytes of a failed upload are deleted: " +
		"its owner uploads it again").WithField("jobId").WithReason(ReasonEnded)
}

// Again returns a job that does the same with the file, and the upload of its result.
func (j *OperatedJob) Again(file *File) (*Upload, *Job) {
	if j.Capture != "" {
		return NewExtraction(file, j.Capture)
	}
	return NewConversion(file, j.ConvertTo, j.Edits)
}

// OperatedJobConnection is one page of jobs, newest first.
type OperatedJobConnection Connection[*OperatedJob]

// Edges returns the jobs with their cursors.
func (c *OperatedJobConnection) Edges() []OperatedJobEdge {
	return edgesOf[*OperatedJob, OperatedJobEdge](c.Nodes, c.Order)
}

// OperatedJobEdge is a job with its cursor.
type OperatedJobEdge Edge[*OperatedJob]

// Queue is the unfinished work of one kind in one state.
type Queue struct {
	Kind, State   string
	Jobs          int64
	OldestSeconds float64
}
