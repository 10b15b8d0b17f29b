package model

import (
	"time"
)

// Operator is the right to operate the server. graph.Resolver.operator decides who has it.
type Operator struct {
	// UserID is the account of the operator.
	UserID string
}

// SettingSource is where the value of a setting comes from.
type SettingSource string

// A flag takes precedence over the environment, and both over the default.
const (
	SourceDefault     SettingSource = "default"
	SourceEnvironment SettingSource = "environment"
	SourceFlag        SettingSource = "flag"
	SourceFile        SettingSource = "file" // in the data folder
)

// Setting is the effective value of a setting. It contains no secret.
type Setting struct {
	Name   string        `json:"name"` // of the variable
	Value  string        `json:"value"`
	Source SettingSource `json:"source"`
	Help   string        `json:"help"`
}

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
