package property

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

var (
	seedFlag     = flag.Uint64("seed", 0, "run the one sequence of this seed")
	sequenceFlag = flag.Int("sequences", 0, "how many sequences to run; 0 is 60, and fewer with -short or -race")
)

const (
	// sequenceQuota has room for some of the spaces and files of a sequence, and not for
	// all.
	sequenceQuota = 24_000
	// shrinkRuns limits the search for fewer steps that still fail.
	shrinkRuns = 300
	// shrunkFailures is the number of failures that are shortened and shown.
	shrunkFailures = 3
)

// The operations of two users are random.
func TestSequences_follow_the_rules(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, count := uint64(1), sequences(testing.Short())
	if *seedFlag > 0 {
		first, count = *seedFlag, max(1, *sequenceFlag)
	}
	var failures atomic.Int64
	for seed := first; seed < first+uint64(count); seed++ {
		t.Run(fmt.Sprintf("seed_%d", seed), func(t *testing.T) {
			t.Parallel()
			if failures.Load() >= shrunkFailures {
				t.Skip("enough sequences have failed")
			}
			steps := generate(seed)
			at, err := s.play(t, steps)
			if err == nil {
				return
			}
			failures.Add(1)
			steps = s.shrink(t, steps[:min(at+1, len(steps))])
			_, again := s.play(t, steps)
			t.Errorf("seed %d: %v\nshortest steps that fail:\n%s\n%v\nlog: %s", seed, err, lines(steps), again, s.log.take())
		})
	}
}

func sequences(short bool) int {
	switch {
	case *sequenceFlag > 0:
		return *sequenceFlag
	case short:
		return 20
	}
	return 60
}

func lines(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&b, "%3d %v\n", i, s)
	}
	return b.String()
}

// play carries out the steps for two new users and returns the first step with an
// unexpected response. len(steps) means the final state.
func (s *server) play(t *testing.T, steps []step) (at int, err error) {
	t.Helper()
	r := &run{server: s, names: newNames(), presign: map[string]string{}}
	r.users[0] = s.account(t, "alice", model.PlanPro, sequenceQuota)
	r.users[1] = s.account(t, "bob", model.PlanFree, sequenceQuota)
	rules := newRules(sequenceQuota)
	for i, step := range steps {
		if err := r.compare(rules, step); err != nil {
			return i, err
		}
	}
	for _, step := range inventory(rules) {
		if err := r.compare(rules, step); err != nil {
			return len(steps), fmt.Errorf("at the end: %w", err)
		}
	}
	return 0, nil
}

// compare carries out a step at the server and by the rules.
func (r *run) compare(rules *rules, s step) error {
	if s.Op == opViewer || s.Op == opCreateUpload {
		if err := r.measure(rules, s.User); err != nil {
			return err
		}
	}
	before := rules.clone()
	want := rules.apply(s)
	got, err := r.do(s)
	if err == nil && got.Code == overQuota && writesJSON(s.Op) && !want.isRefusal() {
		*rules = *before
		return r.checkNoRoom(rules, s.User)
	}
	if err == nil {
		err = want.check(got)
	}
	if err != nil {
		return fmt.Errorf("%v\n%w", s, err)
	}
	return nil
}

// check compares the response with the prediction.
func (p prediction) check(got reply) error {
	if p.isRefusal() || got.Code != "" {
		if !slices.Contains(p.codes, got.Code) {
			return fmt.Errorf("got code %q (%s) and %v, want one of %q or %v", got.Code, got.Message, got.Data, p.codes, p.data)
		}
		if p.message != "" && got.Message != p.message {
			return fmt.Errorf("message: got %q, want %q", got.Message, p.message)
		}
		return nil
	}
	if p.status != 0 && got.Status != 0 && got.Status != p.status {
		return fmt.Errorf("status: got %d, want %d", got.Status, p.status)
	}
	if !reflect.DeepEqual(got.Data, p.data) {
		return errors.New("response (-want +got):\n" + cmp.Diff(p.data, got.Data))
	}
	return nil
}

// inventory returns the steps that read everything of both users, through both doors.
func inventory(rules *rules) []step {
	var steps []step
	for user := range 2 {
		for _, door := range []string{doorREST, doorGraphQL} {
			all := step{User: user, Door: door}
			read := func(op, space, entity string) {
				s := all
				s.Op, s.Space, s.Entity, s.As = op, space, entity, fmt.Sprintf("@c%d@", 1000+len(steps))
				steps = append(steps, s)
			}
			read(opViewer, "", "")
			read(opFiles, "", "")
			read(opJobs, "", "")
			read(opSpaces, "", "")
			for _, space := range rules.spaces {
				if space.owner == user || door == doorREST {
					read(opSpace, space.id, "")
					read(opEntities, space.id, "")
				}
			}
		}
	}
	return steps
}

// shrink removes steps, the last ones first, as long as the rest still fails.
func (s *server) shrink(t *testing.T, steps []step) []step {
	t.Helper()
	runs := 0
	for smaller := true; smaller; {
		smaller = false
		for i := len(steps) - 1; i >= 0 && runs < shrinkRuns; i-- {
			runs++
			without := slices.Delete(slices.Clone(steps), i, i+1)
			if at, err := s.play(t, without); err != nil {
				steps, smaller = without[:min(at+1, len(without))], true
				i = min(i, len(steps))
			}
		}
	}
	return steps
}
