package worker

import (
	"testing"
	"time"
)

func TestSteadyClock(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	type reading struct {
		running, wall time.Duration // since the start
		want          time.Duration
	}
	for _, test := range []struct {
		name     string
		readings []reading
	}{
		{"goes with the machine's", []reading{{0, 0, 0}, {time.Hour, time.Hour, time.Hour}}},
		{"follows a clock that is set right by a little", []reading{
			{0, 0, 0}, {time.Hour, time.Hour + 30*time.Second, time.Hour + 30*time.Second},
			{2 * time.Hour, 2*time.Hour + time.Minute, 2*time.Hour + time.Minute},
		}},
		{"does not follow a clock that is put forward by an hour", []reading{
			{0, 0, 0}, {time.Minute, time.Hour + time.Minute, time.Minute},
			{24 * time.Hour, 25 * time.Hour, 24 * time.Hour},
		}},
		{"follows it after a day", []reading{
			{0, 0, 0}, {time.Hour, 2 * time.Hour, time.Hour}, {26 * time.Hour, 27 * time.Hour, 27 * time.Hour},
			{27 * time.Hour, 28 * time.Hour, 28 * time.Hour},
		}},
		{"forgets a jump that was taken back", []reading{
			{0, 0, 0}, {time.Hour, 2 * time.Hour, time.Hour}, {2 * time.Hour, 2 * time.Hour, 2 * time.Hour},
			{24 * time.Hour, 25 * time.Hour, 24 * time.Hour}, {26 * time.Hour, 27 * time.Hour, 26 * time.Hour},
		}},
		{"follows a clock that is put back, and not its way forward", []reading{
			{0, 0, 0}, {2 * time.Hour, time.Hour, time.Hour}, {3 * time.Hour, 3 * time.Hour, 2 * time.Hour},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var c steadyClock
			for _, r := range test.readings {
				if got, want := c.at(began.Add(r.wall), r.running), began.Add(r.want); !got.Equal(want) {
					t.Errorf("after %v, when the machine says %v: got %v, want %v", r.running, r.wall, got.Sub(began), r.want)
				}
			}
		})
	}
}

func TestSteadyClock_now_is_the_time(t *testing.T) {
	t.Parallel()
	var c steadyClock
	for range 2 {
		before, got, after := time.Now().Round(0), c.now(), time.Now().Round(0)
		if got.Before(before) || got.After(after) {
			t.Errorf("now: got %v, want it from %v to %v", got, before, after)
		}
	}
}
