package main

import (
	"strings"
	"testing"
	"time"

	"portico/splat/folder"
)

// small returns captures of a few bytes.
func small(names ...string) []capture {
	var all []capture
	for _, name := range names {
		all = append(all, capture{name, folder.Memory{"a.bin": []byte("abc")}, "a.bin", false})
	}
	return all
}

func TestRounds_stop_when_the_time_is_over(t *testing.T) {
	t.Parallel()
	r := scriptRunner(t, `echo '{"error":"x"}'; exit 2`)
	all := small("one", "two")
	o := options{runs: 4, first: 10, seed: 1, parallel: 2}
	for _, test := range []struct {
		name string
		due  time.Time
		want int
	}{
		{"no limit", time.Time{}, 4},
		{"a limit that is far", time.Now().Add(time.Hour), 4},
		{"a limit that is over", time.Now().Add(-time.Second), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			done, err := r.rounds(t.Context(), o, test.due, all, map[string]cleanTimes{})
			if err != nil || len(done) != test.want {
				t.Errorf("got %d rounds, %v, want %d", len(done), err, test.want)
			}
		})
	}
}

func TestCheckLimit_says_what_is_missing(t *testing.T) {
	t.Parallel()
	all := small("one", "two")
	o := options{runs: 4, first: 10, limit: time.Minute}
	for _, test := range []struct {
		name, said, refused string
		done                int
	}{
		{"all", "", "", 4},
		{"some", "3 of 4 runs in 1m0s; -first 13 continues", "", 3},
		{"not each capture", "1 of 4 runs", "only 1 runs of 2 captures", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := checkLimit(&out, o, all, make([]round, test.done))
			if !strings.Contains(out.String(), test.said) || (test.said == "") != (out.Len() == 0) {
				t.Errorf("got %q, want %q", out.String(), test.said)
			}
			if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
				t.Errorf("got %v, want %q", err, test.refused)
			}
		})
	}
}
