package main

import (
	"fmt"
	"time"

	"portico/server"
)

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
	var age server.Period
	if age.UnmarshalText(text) != nil || age < 0 {
		return fmt.Errorf("%q is not an age such as 36h or 7d, or a date such as 2026-01-31", text)
	}
	*m = Moment(time.Now().Add(-time.Duration(age)))
	return nil
}
