package model

// FailedFile is a file with steps of its preparation that were given up.
type FailedFile struct {
	ResourceKey string
	Name        string
	Size        int64
	UserID      string
	Failures    Failures `bun:"type:jsonb"`
}

// Steps returns the failed steps in the order of the preparation.
func (f *FailedFile) Steps() []*FailedStep {
	steps := []*FailedStep{}
	for _, step := range []PreparationStep{StepFacts, StepPoster, StepView, StepCollision} {
		if reason := f.Failures[step]; reason != "" {
			steps = append(steps, &FailedStep{Step: step, Reason: reason})
		}
	}
	return steps
}

// FailedStep is a step that was given up. Reason is the text of its last error, for operators.
type FailedStep struct {
	Step   PreparationStep
	Reason string
}
