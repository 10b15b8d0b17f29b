package model

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
