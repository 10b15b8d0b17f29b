package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBar_verdict(t *testing.T) {
	t.Parallel()
	r := results{Results: []result{
		{nameCeiling, opGet, 16, summary{Rates: []float64{1000, 500, 2000}}},
		{nameREST, opGet, 16, summary{Rates: []float64{750, 200, 1800}}},
		{nameGraphQL, opGet, 16, summary{Rates: []float64{449, 120, 1080}}},
	}}
	all := bars()
	for _, test := range []struct {
		bar         bar
		op          operation
		connections int
		want        string
	}{
		{all[0], opGet, 16, "**0.65** (0.40 to 1.05) < 0.75"},
		{all[3], opGet, 16, "**0.60** (0.60 to 0.60) < 0.80"},
		{all[0], opGet, 64, "-"},
		{all[0], opList, 16, "-"},
	} {
		if got := test.bar.verdict(r, test.op, test.connections); got != test.want {
			t.Errorf("%s of %s at %d: got %s, want %s", test.bar.contender, test.op, test.connections, got, test.want)
		}
	}
}

func TestScript_fills_every_parameter(t *testing.T) {
	t.Parallel()
	w := &world{work: "it's", listed: "listed", owner: "12345678"}
	for _, op := range operations() {
		got := script(w, op)
		if parameter.MatchString(got) {
			t.Errorf("script of %s: got a parameter that is left, want none\n%s", op, got)
		}
		if op != opList && !strings.Contains(got, "'it''s'") {
			t.Errorf("script of %s: got no quoted space\n%s", op, got)
		}
	}
}

func TestParseOptions_reads_values_and_refuses_bad_ones(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"-connections", "1,2", "-rounds", "3", "-duration", "1s", "-only", "rest,echo"})
	if err != nil || !slices.Equal(o.connections, []int{1, 2}) || o.rounds != 3 || o.duration != time.Second ||
		!slices.Equal(o.only, []string{"rest", "echo"}) {
		t.Errorf("options: got %+v, %v, want those that were given", o, err)
	}
	for _, args := range [][]string{
		{"-connections", "0"}, {"-connections", "x"}, {"-connections", "1000"}, {"-only", "nobody"},
		{"-rounds", "0"}, {"-duration", "0s"},
	} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("options %v: got no error, want one", args)
		}
	}
}
