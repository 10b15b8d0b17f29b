package main

import (
	"fmt"
	"time"

	"portico/server"
)

// Moment is a time that is said as one ago or as a date; the zero value is none.
type Moment time.Time

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Moment) UnmarshalText(text []byte) error {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if moment, err := time.Parse(form, string(text)); err == nil {
			*m = Moment(moment)
			return nil
		}
	}
	var ago server.Period
	if ago.UnmarshalText(text) != nil || ago < 0 {
		return fmt.Errorf("%q is not a time ago such as 36h or 7d, nor a date such as 2026-01-31", text)
	}
	*m = Moment(time.Now().Add(-time.Duration(ago)))
	return nil
}
