package main

import (
	"strings"
	"testing"
	"time"
)

func TestTally_prints_what_was_found(t *testing.T) {
	t.Parallel()
	whole, broken, skipped := newTally("publish"), newTally("s3"), newTally("redis")
	whole.took = 90 * time.Second
	whole.add(countRuns, 3)
	whole.add(countKills, 2)
	whole.recordMax("slowest response in ms", 7)
	whole.recordMax("slowest response in ms", 5)
	broken.addLost("a file is gone")
	for range maxViolations + 2 {
		broken.addViolation("over and over")
	}
	for i := range maxViolations {
		broken.addViolation("number %d", i)
	}
	skipped.skipped = "no redis-server"
	var out strings.Builder
	for _, each := range []*tally{whole, broken, skipped} {
		each.print(&out)
	}
	printSum(&out, []*tally{whole, broken, skipped})
	for _, want := range []string{
		"publish     whole in 1m30s: runs 3, kills 2, faults 0, lost 0, slowest response in ms 7\n",
		"s3          BROKEN in 0s: runs 0, kills 0, faults 0, lost 1\n    a file is gone\n    over and over\n    number 0\n",
		"    and 2 more\n",
		"redis       skipped: no redis-server\n",
		"all         runs 3, kills 2, faults 0, lost 1\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("report: got\n%s\nwant %q in it", out.String(), want)
		}
	}
}

func TestSelectScenarios_keeps_the_order(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		names []string
		want  string // the names that are chosen, or a part of the error
	}{
		{nil, "publish publish-s3 postgres s3 redis disk"},
		{[]string{"redis", "publish"}, "publish redis"},
		{[]string{"redis", "tape"}, `no scenario is called "tape"`},
	} {
		chosen, err := selectScenarios(scenarios(), test.names)
		var got []string
		for _, s := range chosen {
			got = append(got, s.name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, test.want) {
			t.Errorf("selectScenarios %q: got %q, want %q", test.names, text, test.want)
		}
	}
}
