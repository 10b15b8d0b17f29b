package main

import (
	"strings"
	"testing"
	"time"
)

func TestHistory_finds_what_was_lost_done_twice_or_seen_too_late(t *testing.T) {
	t.Parallel()
	merge := func(field, value int) entityInput {
		return entityInput{action: actionMerge, field: field, value: value}
	}
	create := entityInput{action: actionCreate, value: 1}
	read := entityInput{action: actionRead}
	unknown := entityOutput{unknown: true}
	state := func(first, second int) entityOutput {
		return entityOutput{found: true, state: entityState{exists: true, fields: [2]int{first, second}}}
	}
	created := entityOutput{state: entityState{exists: true, fields: [2]int{1, 0}}}
	type step struct {
		in         entityInput
		out        entityOutput
		start, end int
	}
	for _, test := range []struct {
		name  string
		steps []step
		whole bool
	}{
		{"one after the other", []step{{create, created, 0, 1}, {merge(1, 2), state(1, 2), 2, 3}, {read, state(1, 2), 4, 5}}, true},
		{"a merge that is lost", []step{{create, created, 0, 1}, {merge(1, 2), state(1, 2), 2, 3}, {read, state(1, 0), 4, 5}}, false},
		{"a read beside a merge", []step{{create, created, 0, 1}, {merge(1, 2), state(1, 2), 2, 6}, {read, state(1, 0), 4, 5}}, true},
		{"an unknown merge that happens late", []step{{create, created, 0, 1}, {merge(1, 2), unknown, 2, 3}, {read, state(1, 0), 4, 5}, {read, state(1, 2), 6, 7}}, true},
		{"an unknown merge that never happens", []step{{create, created, 0, 1}, {merge(1, 2), unknown, 2, 3}, {read, state(1, 0), 4, 5}}, true},
		{"an unknown merge that happens twice", []step{
			{create, created, 0, 1}, {merge(1, 2), unknown, 2, 3}, {read, state(1, 2), 4, 5}, {merge(1, 3), state(1, 3), 6, 7}, {read, state(1, 2), 8, 9},
		}, false},
		{"a deleted entity that is back", []step{
			{create, created, 0, 1}, {entityInput{action: actionDelete}, entityOutput{found: true}, 2, 3}, {read, state(1, 0), 4, 5},
		}, false},
	} {
		found := newTally(test.name)
		h := &history{start: time.Now()}
		at := func(second int) time.Time { return h.start.Add(time.Duration(second) * time.Second) }
		for i, s := range test.steps {
			h.add(i, s.in, s.out, at(s.start), at(s.end))
		}
		h.check(&world{tally: found})
		if got := len(found.broken) == 0; got != test.whole {
			t.Errorf("%s: got whole %v, want %v: %s", test.name, got, test.whole, strings.Join(found.broken, "\n"))
		}
	}
}
