package child

import (
	"testing"
	"time"
)

func TestSilence(t *testing.T) {
	t.Parallel()
	type check struct{ elapsed, waited time.Duration }
	repeat := func(n int, one func(i int) check) (checks []check) {
		for i := range n {
			checks = append(checks, one(i))
		}
		return checks
	}
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	for _, test := range []struct {
		name   string
		checks []check
		want   bool
	}{
		{"of a child that hangs", repeat(30, func(int) check { return check{seconds(2), 0} }), true},
		{"below the limit", repeat(29, func(int) check { return check{seconds(2), 0} }), false},
		{"of a child that waits for a processor", repeat(500, func(i int) check { return check{seconds(2), seconds(2 * (i + 1))} }), false},
		{"of many threads that wait", repeat(500, func(i int) check { return check{seconds(2), seconds(9 * (i + 1))} }), false},
		{"of a loop that gets half of a processor", repeat(60, func(i int) check { return check{seconds(2), seconds(i + 1)} }), true},
		{"on a machine that stood still", []check{{seconds(2), 0}, {time.Hour, 0}, {seconds(2), 0}}, false},
		{"of a child that hangs after it waited", append(repeat(9, func(i int) check { return check{seconds(2), seconds(2 * (i + 1))} }),
			repeat(30, func(int) check { return check{seconds(2), seconds(18)} })...), true},
		{"of a child whose thread that waited has ended", append([]check{{seconds(2), seconds(40)}}, repeat(30, func(int) check { return check{seconds(2), 0} })...), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, ended := &silence{limit: time.Minute}, false
			for _, c := range test.checks {
				ended = s.add(c.elapsed, c.waited)
			}
			if ended != test.want {
				t.Errorf("after %d checks: got %v, want %v", len(test.checks), ended, test.want)
			}
		})
	}
}

func TestSilence_ends_with_a_line(t *testing.T) {
	t.Parallel()
	s := &silence{limit: time.Minute}
	for i := range 100 {
		if i%20 == 0 {
			s.reset()
		}
		if s.add(2*time.Second, 0) {
			t.Fatalf("check %d: got the limit, want none: there were lines", i)
		}
	}
}
