package model

import "time"

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
