package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// exampleComparison returns a comparison with distinct outcomes.
func exampleComparison() comparison {
	return comparison{
		dataset: dataset{name: "small", splats: 1000, levels: 1, environment: 4000}, inputBytes: 160_000,
		reference: &outcome{cost: cost{CPU: 100 * time.Millisecond, PeakMemory: 50e6}, bytes: 1000, picture: 40, difference: difference{positionMean: 2}},
		portico: &outcome{cost: cost{CPU: 5 * time.Millisecond, PeakMemory: 60e6}, bytes: 1020, picture: 39.8, levels: []int{1000},
			difference: difference{positionMean: 1.2, positionSteps: 0.5}},
		back: &readBack{splats: 1000},
	}
}

// line returns the cells of a row of the table.
func line(t *testing.T, table, name string) []string {
	t.Helper()
	for text := range strings.Lines(table) {
		if cells := strings.Split(strings.TrimSpace(text), " | "); cells[0] == "| "+name {
			return cells[1:]
		}
	}
	t.Fatalf("no row %q in\n%s", name, table)
	return nil
}

func TestPrintComparison_shows_limits_and_what_missed_them(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	check(t, printComparison(&b, exampleComparison()))
	for name, want := range map[string][]string{
		"CPU, s":              {"0.10", "0.01", "1/20.0", "<= 1/12", "ok |"},
		"CPU, us a splat":     {"20.00", "1.00", "1/20.0", "<= 3.00", "ok |"},
		"peak memory, MB":     {"50", "60", "1.200", "<= 200", "ok |"},
		"size, MB":            {"0.001", "0.001", "1.020", "<= 1.02x", "ok |"},
		"position mean, mm":   {"2.000", "1.200", "0.600", "<= 0.55x", "**MISSED** |"},
		"position p99, mm":    {"0.000", "0.000", "-", "", " |"},
		"unmatched":           {"0", "0", "-", "<= 0", "ok |"},
		"picture, dB":         {"40.0", "39.8", "-", ">= -0.3", "ok |"},
		"rotation mean, deg":  {"0.000", "0.000", "-", "<= 0.400", "ok |"},
		"opacity max, of 255": {"0.000", "0.000", "-", "", " |"},
	} {
		got := line(t, b.String(), name)
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if want := "reads it back: 1000 splats of 1000"; !strings.Contains(b.String(), want) || !strings.HasSuffix(b.String(), ": ok\n") {
		t.Errorf("got\n%s\nwant %q that is ok", b.String(), want)
	}
}

func TestPrintComparison_without_splat_transform(t *testing.T) {
	t.Parallel()
	c := exampleComparison()
	c.reference, c.back = nil, nil
	c.portico.rotationMean = 0.5
	var b bytes.Buffer
	check(t, printComparison(&b, c))
	for name, want := range map[string][]string{
		"CPU, s":             {"-", "0.01", "-", "<= 1/12", " |"},
		"CPU, us a splat":    {"-", "1.00", "-", "<= 3.00", "ok |"},
		"rotation mean, deg": {"-", "0.500", "-", "<= 0.400", "**MISSED** |"},
	} {
		if got := line(t, b.String(), name); strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if strings.Contains(b.String(), "reads it back") {
		t.Errorf("got\n%s\nwant no result of reading back", b.String())
	}
}

func TestReadBack_misses_a_difference(t *testing.T) {
	t.Parallel()
	for _, back := range []readBack{{splats: 999}, {splats: 1000, position: 0.1}, {splats: 1000, harmonics: math.Inf(1)}} {
		var b strings.Builder
		if back.write(&b, 1000); !strings.HasSuffix(b.String(), "**MISSED**\n") {
			t.Errorf("got %s, want MISSED", b.String())
		}
	}
}

func TestParseOptions_chooses_data_sets_and_refuses_bad_values(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want []string
	}{
		{nil, datasetNames()},
		{[]string{"-quick"}, []string{"p200k", "q24k"}},
		{[]string{"-only", "p2m,q24k"}, []string{"q24k", "p2m"}},
		{[]string{"-quick", "-only", "p2m"}, []string{"p2m"}},
	} {
		o, err := parseOptions(test.args)
		check(t, err)
		var got []string
		for _, d := range o.datasets {
			got = append(got, d.name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.args, got, test.want)
		}
	}
	for _, args := range [][]string{{"-only", "none"}, {"-rounds", "0"}, {"-iterations", "0"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%v: got no error, want one", args)
		}
	}
}

func TestMedian_is_the_cost_in_the_middle(t *testing.T) {
	t.Parallel()
	for want, costs := range map[time.Duration][]cost{
		3: {{CPU: 3}}, 2: {{CPU: 4}, {CPU: 2}}, 5: {{CPU: 9}, {CPU: 5}, {CPU: 1}},
	} {
		if got := median(costs).CPU; got != want {
			t.Errorf("%v: got %d, want %d", costs, got, want)
		}
	}
}
