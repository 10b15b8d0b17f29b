package model

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
