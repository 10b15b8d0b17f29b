package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"portico/db"
	"portico/model"
	"portico/server"
)

// auditCommand is "portico audit": the trail, oldest first.
type auditCommand struct {
	User  string `help:"Only of the account with this e-mail address or id." placeholder:"EMAIL"`
	Since Moment `help:"Only from a moment on: a time ago such as 36h or 7d, or a date such as 2026-01-31." placeholder:"WHEN"`
	JSON  bool   `help:"One JSON object a line."`
}

// auditPage is how many events are read at a time.
const auditPage = 500

// run prints events in pages, so that a long trail needs no memory.
func (c *auditCommand) run(ctx context.Context, p *server.Program, call call) error {
	filter := db.AuditFilter{Since: time.Time(c.Since)}
	if c.User != "" {
		user, err := findUser(ctx, p.DB, c.User)
		if err != nil {
			return err
		}
		filter.UserID = user.ID
	}
	for {
		events, err := p.DB.AuditTrail(ctx, filter, auditPage)
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := c.print(call.out, event); err != nil {
				return err
			}
			filter.After = event.Sequence
		}
		if len(events) < auditPage {
			return nil
		}
	}
}

// findUser returns the account with this address or id.
func findUser(ctx context.Context, database *db.DB, name string) (*model.User, error) {
	if !strings.Contains(name, "@") {
		return database.User(ctx, name)
	}
	email, err := model.NormalizeEmail(name)
	if err != nil {
		return nil, err
	}
	return database.UserByEmail(ctx, email)
}

// printedEvent is how the command prints an event. The names are those of the API
// where it has one.
type printedEvent struct {
	CreatedAt model.Time              `json:"created_at"`
	Type      model.SecurityEventType `json:"type"`
	UserID    string                  `json:"user_id,omitempty"`
	Door      string                  `json:"door,omitempty"`
	Address   string                  `json:"address,omitempty"`
	Method    string                  `json:"method,omitempty"`
	Subject   string                  `json:"subject,omitempty"`
	Detail    string                  `json:"detail,omitempty"`
	RequestID string                  `json:"request_id,omitempty"`
}

func (c *auditCommand) print(out io.Writer, e *model.SecurityEvent) error {
	if c.JSON {
		return printJSON(out, printedEvent{
			e.CreatedAt, e.Type, e.UserID, e.Door, e.Address, e.Method, e.Subject, e.Detail, e.RequestID,
		})
	}
	_, err := fmt.Fprintf(out, "%s  %-16s  %-8s  %-7s  %-15s", e.CreatedAt.Format(time.RFC3339), e.Type,
		orDash(e.UserID), orDash(e.Door), orDash(e.Address))
	for _, text := range []string{e.Method, e.Subject, e.Detail} {
		if err == nil && text != "" {
			_, err = fmt.Fprintf(out, "  %s", text)
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(out)
	}
	return err
}

// orDash keeps the columns where a text is empty.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
