package model

import "time"

// Operator is the right to operate the server. Package graph decides who has it.
type Operator struct {
	// UserID is the account of the operator.
	UserID string
}

// OperatedJob is a job as operators see it.
type OperatedJob struct {
	Job
	OwnerEmail string
}

// CanRetry reports whether the job can be started again: the bytes of a failed upload are
// deleted, and a file that was converted is kept.
func (j *OperatedJob) CanRetry() bool { return j.Status == JobFailed && j.SourceKey != "" }

// OperatedJobConnection is one page of jobs, newest first.
type OperatedJobConnection Connection[*OperatedJob]

// Edges returns the jobs with their cursors.
func (c *OperatedJobConnection) Edges() []OperatedJobEdge {
	return edgesOf[*OperatedJob, OperatedJobEdge](c.Nodes, c.Order)
}

// OperatedJobEdge is a job in a page.
type OperatedJobEdge Edge[*OperatedJob]

// Queue is the unfinished work of one kind in one state.
type Queue struct {
	Kind, State   string
	Jobs          int64
	OldestSeconds float64
}

// FailedFile is a file of which parts of the preparation were given up.
type FailedFile struct {
	ResourceKey string
	Name        string
	Size        int64
	UserID      string
	Failures    Failures `bun:"type:jsonb"`
}

// Steps returns the steps that were given up, in their order.
func (f *FailedFile) Steps() []*FailedStep {
	steps := []*FailedStep{}
	for _, step := range []PreparationStep{StepFacts, StepPoster, StepView, StepCollision} {
		if reason := f.Failures[step]; reason != "" {
			steps = append(steps, &FailedStep{Step: step, Reason: reason})
		}
	}
	return steps
}

// FailedStep is a step that was given up, and why.
type FailedStep struct {
	Step   PreparationStep
	Reason string
}

// The samples of the server's state.
const (
	// SampleInterval is the time between two samples.
	SampleInterval = 5 * time.Minute
	// SampleAge is how long samples are kept.
	SampleAge = 90 * 24 * time.Hour
	// MaxSamples is the maximum number of points of a plot.
	MaxSamples = 500
)

// Sample is the state of the server at one time.
type Sample struct {
	At           Time
	StorageBytes int64
	Files        int64
	Accounts     int64
	Spaces       int64
	JobsWaiting  int64
	JobsRunning  int64
	JobsFailed   int64 // within SampleInterval
	Requests     int64 // that all servers answered within SampleInterval, without probes
	Errors       int64 // requests of Requests that failed because of the server (status 5xx)
}

// SettingSource is where the value of a setting comes from.
type SettingSource string

// The sources.
const (
	SourceDefault     SettingSource = "default"
	SourceEnvironment SettingSource = "environment"
	SourceFlag        SettingSource = "flag"
	SourceFile        SettingSource = "file" // in the data folder
)

// Setting is a setting as it is in force. Its value holds no secret.
type Setting struct {
	Name   string        `json:"name"` // of the variable
	Value  string        `json:"value"`
	Source SettingSource `json:"source"`
	Help   string        `json:"help"`
}

// AuditEntry is an event of the audit trail as operators see it.
type AuditEntry struct {
	SecurityEvent
	UserEmail  string
	ActorEmail string
}

// AuditEntryConnection is one page of events, newest first.
type AuditEntryConnection Connection[*AuditEntry]

// Edges returns the events with their cursors.
func (c *AuditEntryConnection) Edges() []AuditEntryEdge {
	return edgesOf[*AuditEntry, AuditEntryEdge](c.Nodes, c.Order)
}

// AuditEntryEdge is an event in a page.
type AuditEntryEdge Edge[*AuditEntry]

// AuditSelection selects events of the audit trail for operators.
type AuditSelection struct {
	Account string              // the id of the account, or of the operator who acted; empty for all
	Types   []SecurityEventType // empty for all
}
