package main

import (
	"math"
	"reflect"
	"testing"
	"time"
)

func TestMedian_is_the_value_in_the_middle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{7}, 7},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 100}, 3.5},
	} {
		if got := median(test.values, mean); got != test.want {
			t.Errorf("median of %v: got %v, want %v", test.values, got, test.want)
		}
	}
}

func TestMedian_leaves_the_values_in_their_order(t *testing.T) {
	t.Parallel()
	values := []float64{3, 1, 2}
	median(values, mean)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("values: got %v, want them untouched", values)
	}
}

// The second case has logarithms of 0.1 and 0.3: their mean is 0.2 and their deviation 0.1414.
func TestCompareRates_returns_the_ratio_and_its_interval(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b             []float64
		ratio, low, high float64
	}{
		{[]float64{300}, []float64{200}, 1.5, 1.5, 1.5},
		{[]float64{math.Exp(0.1), math.Exp(0.3)}, []float64{1, 1}, math.Exp(0.2), math.Exp(0.004), math.Exp(0.396)},
		{[]float64{10, 4000, 9}, []float64{20, 8000, 18}, 0.5, 0.5, 0.5},
	} {
		ratio, low, high := compareRates(test.a, test.b)
		for name, pair := range map[string][2]float64{"ratio": {ratio, test.ratio}, "low": {low, test.low}, "high": {high, test.high}} {
			if math.Abs(pair[0]-pair[1]) > 1e-6 {
				t.Errorf("%v to %v: got a %s of %v, want %v", test.a, test.b, name, pair[0], pair[1])
			}
		}
	}
}

// A mean of ratios would be over 1 both ways.
func TestCompareRates_is_the_same_both_ways(t *testing.T) {
	t.Parallel()
	a, b := []float64{100, 50, 80}, []float64{50, 100, 90}
	one, low, high := compareRates(a, b)
	other, otherLow, otherHigh := compareRates(b, a)
	if math.Abs(one*other-1) > 1e-9 || math.Abs(low*otherHigh-1) > 1e-9 || math.Abs(high*otherLow-1) > 1e-9 {
		t.Errorf("ratios: got %v (%v to %v) and %v (%v to %v), want each one divided by the other",
			one, low, high, other, otherLow, otherHigh)
	}
}

func TestPercentile_is_one_of_the_values(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for _, test := range []struct {
		sorted []time.Duration
		p      int
		want   time.Duration
	}{
		{nil, 50, 0},
		{hundred[:1], 99, 1},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 100, 100},
		{hundred, 0, 1},
		{hundred[:3], 50, 2},
		{hundred[:4], 50, 2},
		{hundred[:10], 99, 10},
	} {
		if got := percentile(test.sorted, test.p); got != test.want {
			t.Errorf("percentile %d of %d values: got %d, want %d", test.p, len(test.sorted), got, test.want)
		}
	}
}

func TestSummarise_adds_up_the_rounds(t *testing.T) {
	t.Parallel()
	got := summarise([]sample{
		{latencies: []time.Duration{5, 1, 3}, elapsed: time.Second, costs: costs{server: 30, database: 6, client: 12}},
		{latencies: []time.Duration{9}, elapsed: 3 * time.Second, costs: costs{server: 10, database: 2, client: 4}},
	})
	want := summary{Rate: 1, Rates: []float64{3, 1. / 3}, Lowest: 1. / 3, Highest: 3, P50: 3, P99: 9, Server: 10, Database: 2, Client: 4}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("summary: got %+v, want %+v", got, want)
	}
}

func TestTakesPart_limits_the_rounds_of_some_contenders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		contender string
		round     int
		want      bool
	}{
		{nameEcho, 1, true}, {nameSimple, 2, false}, {namePrepared, 20, false}, {nameEcho, 21, true},
		{nameCeiling, 2, true}, {nameOneTrip, 2, true}, {namePlain, 2, true}, {nameREST, 2, true}, {nameGraphQL, 2, true},
	} {
		if got := takesPart(test.contender, test.round); got != test.want {
			t.Errorf("%s in round %d: got %v, want %v", test.contender, test.round, got, test.want)
		}
	}
}

func TestNewSample_refuses_a_round_without_requests(t *testing.T) {
	t.Parallel()
	if _, err := newSample(nil, time.Second, costs{}); err == nil {
		t.Error("sample of nothing: got no error, want one")
	}
}
