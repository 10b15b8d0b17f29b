package model

import (
	"fmt"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

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
