package operator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"portico/cmd/portico/command"
	"portico/model"
	"portico/server/operator"
	"portico/server/settings"
)

// AuditCommand is "portico audit". It prints the audit trail, oldest event first.
type AuditCommand struct {
	User  string `help:"Account whose events to print, by e-mail address or id." placeholder:"EMAIL"`
	Since Moment `help:"Time of the first event: an age such as 36h or 7d, or a date such as 2026-01-31." placeholder:"WHEN"`
	JSON  bool   `help:"Print one JSON object per line."`
}

// Run prints the events.
func (c *AuditCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.AuditTrail(ctx, c.User, time.Time(c.Since), func(event *model.SecurityEvent) error { return c.print(in.Out, event) })
	})
}

// EventView is the JSON form of a security event. Fields that the API also has use its names.
type EventView struct {
	CreatedAt model.Time              `json:"created_at"`
	Type      model.SecurityEventType `json:"type"`
	UserID    string                  `json:"user_id,omitempty"`
	Door      string                  `json:"door,omitempty"`
	Address   string                  `json:"address,omitempty"`
	Method    string                  `json:"method,omitempty"`
	Subject   string                  `json:"subject,omitempty"`
	// Title, Reason, TakedownReason and Changes are what Detail says, for programs.
	Title          string                      `json:"title,omitempty"`
	Reason         model.SecurityEventReason   `json:"reason,omitempty"`
	TakedownReason model.ReportReason          `json:"takedown_reason,omitempty"`
	Changes        []model.SecurityEventChange `json:"changes,omitempty"`
	Detail         string                      `json:"detail,omitempty"`
	RequestID      string                      `json:"request_id,omitempty"`
}

// print writes the event as one JSON object, or as one line of aligned columns.
func (c *AuditCommand) print(out io.Writer, e *model.SecurityEvent) error {
	if c.JSON {
		return command.PrintJSON(out, EventView{
			e.CreatedAt, e.Type, e.UserID, e.Door, e.Address, e.Method, e.Subject,
			e.Title, e.Reason, e.TakedownReason, e.Changes, e.Detail(), e.RequestID,
		})
	}
	// A dash for an empty text keeps the columns.
	_, err := fmt.Fprintf(out, "%s  %-16s  %-8s  %-7s  %-15s", e.CreatedAt.Format(time.RFC3339), e.Type,
		cmp.Or(e.UserID, "-"), cmp.Or(e.Door, "-"), cmp.Or(e.Address, "-"))
	// The free texts come last: their length varies, and the columns before them stay aligned.
	for _, text := range []string{e.Method, e.Subject, e.Detail()} {
		if err == nil && text != "" {
			_, err = fmt.Fprintf(out, "  %s", text)
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(out)
	}
	return err
}

// Moment is a point in time, written as an age or as a date. The zero value means none.
type Moment time.Time

// UnmarshalText implements encoding.TextUnmarshaler. It accepts a date (2026-01-31, the start of
// that day in UTC), a time of RFC 3339, or an age, which counts back from now.
func (m *Moment) UnmarshalText(text []byte) error {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if moment, err := time.Parse(form, string(text)); err == nil {
			*m = Moment(moment)
			return nil
		}
	}
	var age settings.Period
	if age.UnmarshalText(text) != nil || age < 0 {
		return fmt.Errorf("%q is not an age such as 36h or 7d, or a date such as 2026-01-31", text)
	}
	*m = Moment(time.Now().Add(-time.Duration(age)))
	return nil
}
