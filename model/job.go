package model

// JobType is what a job does.
type JobType string

// The job types (API section 2, Job).
const (
	JobZip  JobType = "zip-processing"  // looks into an uploaded archive
	JobFile JobType = "file-processing" // checks a file over the asynchronous threshold, or converts one
)

// JobStatus is how far a job has come (API section 3).
type JobStatus string

// The job states. Completed and failed are terminal.
const (
	JobQueued     JobStatus = "queued"
	JobProcessing JobStatus = "processing"
	JobCompleted  JobStatus = "completed"
	JobFailed     JobStatus = "failed"
)

// Terminal reports whether a job in this state changes no more.
func (s JobStatus) Terminal() bool { return s == JobCompleted || s == JobFailed }

// The texts of jobs that clients see.
const (
	JobNotFound      = "Job not found"
	JobQueuedMessage = "Waiting to be processed"
	// JobStartedMessage is the message until the worker reports its first step.
	JobStartedMessage = "Processing"
	JobCanceled       = "Canceled"
)

// Job is work on an upload that outlives the request, as clients see it. What
// runs it is River's business.
type Job struct {
	ID       string `bun:",pk"`
	UserID   string
	UploadID string
	Type     JobType
	Status   JobStatus
	// Progress is a percentage: it starts at 0, never falls, and is 100 exactly
	// when the job is completed.
	Progress float64
	Message  string
	// ResultKey is the resource key of the file that came of it.
	ResultKey string `bun:",nullzero"`
	// Error says why the job failed.
	Error string `bun:",nullzero"`
	// ConvertTo is what the job converts to; empty where it does not.
	ConvertTo ConversionTarget `bun:",nullzero"`
	// SourceKey is the resource key of the file that the job converts; empty where
	// it works on the bytes of the upload.
	SourceKey string `bun:",nullzero"`
	// Attempt numbers the attempts. A write of one that is not the current one
	// is refused, so a worker that was thought dead changes nothing.
	Attempt int
	// Tries counts the attempts that ended badly or still run; one that was
	// handed back does not count.
	Tries     int
	CreatedAt Time
	UpdatedAt Time
	// StartedAt is when the latest attempt began; zero before the first.
	StartedAt Time `bun:",nullzero"`
	EndedAt   Time `bun:",nullzero"`
}

// NewJob returns a job that is to work on the upload.
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
