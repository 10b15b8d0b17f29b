package db

import (
	"fmt"
	"math"
	"time"

	"portico/model"
)

// epoch reads the result of date_part('epoch', time): the seconds since 1970, in double precision.
//
// Until the year 2242, the 53 bits of such a number are exact to a microsecond, which is the
// precision of Postgres.
type epoch model.Time

// Scan implements sql.Scanner. It converts whole seconds and the fraction separately, because the
// product of the whole number and a million would be rounded.
func (e *epoch) Scan(src any) error {
	number, ok := src.(float64)
	if !ok {
		return fmt.Errorf("scan seconds since 1970: unexpected %T", src)
	}
	seconds, fraction := math.Modf(number)
	microseconds := math.Round(fraction * 1e6)
	e.Time = time.Unix(int64(seconds), int64(microseconds)*int64(time.Microsecond)).UTC()
	return nil
}

// ownJSON reads a jsonb column and keeps the bytes of the driver. database/sql asks a Scanner to
// copy them, for drivers that use one buffer for all rows. pgdriver reads each value into a slice of
// its own (readColumnValue), and a copy would double what a page of entities allocates.
type ownJSON model.Object

// Scan implements sql.Scanner.
func (o *ownJSON) Scan(src any) error {
	json, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("scan jsonb: unexpected %T", src)
	}
	*o = json
	return nil
}
