package model

import "testing"

func TestJobStep_makes_the_message(t *testing.T) {
	t.Parallel()
	const mb = 1_000_000
	tested := map[JobStepName]bool{}
	for _, test := range []struct {
		step JobStep
		want string
	}{
		{JobStep{Name: JobReadingFile}, "Reading file"},
		{JobStep{Name: JobReadingFile, Done: 12 * mb, Total: 1_204 * mb}, "Reading file: 12 MB of 1.20 GB"},
		{JobStep{Name: JobReadingZip}, "Reading zip"},
		{JobStep{Name: JobReadingPage}, "Reading page"},
		{JobStep{Name: JobCheckingFile, Done: 0, Total: 300 * mb}, "Checking file: 0 MB of 300 MB"},
		{JobStep{Name: JobCheckingZip, Done: 3, Total: 7}, "Checking zip: 3 of 7 files"},
		{JobStep{Name: JobExtractingZip, Done: 120, Total: 480}, "Extracting zip: 120 of 480 files"},
		{JobStep{Name: JobExtractingZip}, "Extracting zip: 0 of 0 files"},
		{JobStep{Name: JobUnpackingPage, Done: mb, Total: 3 * mb}, "Taking the capture out of the page: 1 MB of 3 MB"},
		{JobStep{Name: JobConverting, Done: 41, Total: 100, Detail: "Encoding level 1, chunk 3 of 9"}, "Converting: encoding level 1, chunk 3 of 9"},
		{JobStep{Name: JobConverting, Done: 41, Total: 100, Detail: "Élan"}, "Converting: élan"},
		{JobStep{Name: JobConverting, Total: 100}, "Converting: "},
		{JobStep{Name: JobDrawingTurntable, Done: 14, Total: 100, Detail: "Drawing the turntable: frame 5 of 36"}, "Converting: drawing the turntable: frame 5 of 36"},
		{JobStep{Name: JobStoring, Done: 3, Total: 7}, "Storing the result: 3 of 7 files"},
	} {
		tested[test.step.Name] = true
		if got := test.step.Message(); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.step, got, test.want)
		}
	}
	for _, name := range JobStepNames() {
		if !tested[name] {
			t.Errorf("%s: got no row, want one", name)
		}
	}
}

func TestJobStep_has_a_unit_for_its_figures(t *testing.T) {
	t.Parallel()
	for step, want := range map[JobStep]JobUnit{
		{Name: JobReadingFile}:                         "",
		{Name: JobReadingFile, Done: 1, Total: 2}:      UnitBytes,
		{Name: JobReadingZip}:                          "",
		{Name: JobExtractingZip}:                       "",
		{Name: JobExtractingZip, Total: 2}:             UnitFiles,
		{Name: JobDrawingTurntable, Done: 0, Total: 3}: UnitPercent,
	} {
		got := step.Unit()
		if got == nil && want != "" || got != nil && *got != want {
			t.Errorf("%+v: got %v, want %q", step, got, want)
		}
	}
}

// The step of a row may be out of date, because a worker of an older version stores only a message.
func TestJob_has_the_step_of_its_current_attempt(t *testing.T) {
	t.Parallel()
	extracting := Job{Status: JobProcessing, Attempt: 2, StepAttempt: 2, StepName: JobExtractingZip, StepDone: 3, StepTotal: 7}
	if got, want := extracting.Step(), (JobStep{Name: JobExtractingZip, Done: 3, Total: 7}); got == nil || *got != want {
		t.Errorf("step: got %+v, want %+v", got, want)
	}
	for name, change := range map[string]func(*Job){
		"queued again":            func(j *Job) { j.Status = JobQueued },
		"completed":               func(j *Job) { j.Status = JobCompleted },
		"failed":                  func(j *Job) { j.Status = JobFailed },
		"of an attempt before":    func(j *Job) { j.Attempt = 3 },
		"not reported yet":        func(j *Job) { j.StepName, j.StepAttempt = "", 0 },
		"of a newer version only": func(j *Job) { j.StepName = "polishing" },
	} {
		job := extracting
		change(&job)
		if got := job.Step(); got != nil {
			t.Errorf("%s: got %+v, want none", name, got)
		}
	}
}

func TestFormatBytes_rounds_MB_and_keeps_two_decimals_of_GB(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		0: "0 MB", 1_500_000: "2 MB", 999_000_000: "999 MB", 1_000_000_000: "1.00 GB", 20_345_000_000: "20.34 GB",
	} {
		if got := formatBytes(bytes); got != want {
			t.Errorf("formatBytes(%d): got %q, want %q", bytes, got, want)
		}
	}
}
