package limit

import (
	"testing"
	"time"

	"portico/model"
)

func TestWrites_are_limited_in_bytes(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		w.options.Limits = map[Scope]int{Written: 10}
		l := w.limiter()
		write := func(wants bool) {
			t.Helper()
			err := l.TakeWrite(t.Context(), "10000001")
			if (err == nil) != wants {
				t.Fatalf("write: got %v, want it allowed: %v", err, wants)
			}
			if e := model.AsError(err); err != nil && (e.Code != model.CodeRateLimited || e.RetryAfter < time.Second || e.RetryAfter > time.Minute ||
				e.Message != "Rate limit exceeded: an account can write 10 KiB of JSON in a minute, in entities and spaces") {
				t.Errorf("refusal: got %+v, want one with its reason and the time to wait", e)
			}
		}
		add := func(bytes int64) {
			t.Helper()
			check(t, l.AddWritten(t.Context(), "10000001", bytes))
		}
		write(true)
		add(8<<10 + 5)
		write(true)
		add(1 << 30) // what has happened counts
		write(false)
		check(t, l.TakeWrite(t.Context(), "10000002"))
		take(t, l, 300, UserSubject("10000001"), Entities)
		w.advance(time.Minute)
		write(true)
	})
}
