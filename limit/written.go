package limit

import (
	"context"
	"fmt"
	"time"

	"portico/model"
)

// The database writes a row of JSON anew for each change of it, keeps what it replaced as history,
// and frees the room of both only later. So what accounts write is limited in bytes, beside the
// number of their requests. How much a change writes is known after it, because clients send only
// the fields that change: TakeWrite lets a change begin, and AddWritten counts it. So a window takes
// its limit and the changes that are in progress when it is full.

// writtenUnit is the number of bytes that count as one in Written.
const writtenUnit = 1 << 10

// TakeWrite counts the beginning of a change of JSON by the account. It refuses an account that has
// written as much as it may in this window, with CodeRateLimited and RetryAfter.
func (l *Limiter) TakeWrite(ctx context.Context, userID string) error {
	if l == nil {
		return nil
	}
	short, err := l.count(ctx, UserSubject(userID), []charge{{scope: Written, count: 1}})
	if err != nil || short.wait <= 0 {
		return err
	}
	l.report(Written)
	return &model.Error{
		Code:       model.CodeRateLimited,
		Message:    fmt.Sprintf("%s: an account can write %d KiB of JSON in a minute, in entities and spaces", overLimit, l.limits[Written]),
		RetryAfter: (short.wait + time.Second - 1).Truncate(time.Second), Budget: short.budget(l.limits),
	}
}

// AddWritten counts the bytes that a change has written after TakeWrite let it begin, also beyond
// the limit.
func (l *Limiter) AddWritten(ctx context.Context, userID string, bytes int64) error {
	if l == nil || bytes < writtenUnit { // TakeWrite has counted the first unit
		return nil
	}
	_, err := l.count(ctx, UserSubject(userID), []charge{{scope: Written, count: int(bytes / writtenUnit), forced: true}})
	return err
}
