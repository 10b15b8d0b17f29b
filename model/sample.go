package model

import "time"

// The intervals and limits of samples.
const (
	// SampleInterval is the time between two samples.
	SampleInterval = 5 * time.Minute
	// SampleAge is the age at which samples are deleted.
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
	Requests     int64 // handled by all servers within SampleInterval, without probes
	Errors       int64 // of Requests, those with a status 5xx
}
