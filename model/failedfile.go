package model

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
