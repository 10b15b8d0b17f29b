package model

// These methods return fields that are null in GraphQL where the tables have an empty text or 0.
// The generated code calls them.

// Result returns the resource key of the job's result; nil until the job is completed.
func (j *Job) Result() *string { return orNil(j.ResultKey) }

// Failure returns why the job failed; nil for a job that did not.
func (j *Job) Failure() *string { return orNil(j.Error) }

// AttributionLine returns Attribution; nil for a file that requires none.
func (f *File) AttributionLine() *string { return orNil(f.Attribution()) }

// FormatVersion returns Version; nil for a format without versions.
func (f *FileFacts) FormatVersion() *string { return orNil(f.Version) }

// TrainedModel returns Model; nil for the renderer of 3DGS.
func (f *FileFacts) TrainedModel() *string { return orNil(f.Model) }

// Damage returns Fault; nil for a file that is not damaged.
func (f *FileFacts) Damage() *string { return orNil(f.Fault) }

// StatedReason returns Reason; nil for none, and for a reason that only a newer server on the same
// database knows.
func (e *SecurityEvent) StatedReason() *SecurityEventReason {
	if eventReasonTexts[e.Reason] == "" {
		return nil
	}
	return &e.Reason
}

// StatedTakedownReason returns TakedownReason; nil for an event that is no takedown.
func (e *SecurityEvent) StatedTakedownReason() *ReportReason { return orNil(e.TakedownReason) }

// StatedDisabledCause returns DisabledCause; nil if the server did not disable the webhook.
func (w *Webhook) StatedDisabledCause() *WebhookDisabledCause { return orNil(w.DisabledCause) }

// StatedStatus returns Status; nil without a response.
func (f *WebhookFailure) StatedStatus() *int { return orNil(f.Status) }

// StatedSeconds returns Seconds; nil for a failure that is no timeout.
func (f *WebhookFailure) StatedSeconds() *int { return orNil(f.Seconds) }

// orNil returns a pointer to the value; nil for the zero value.
func orNil[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
