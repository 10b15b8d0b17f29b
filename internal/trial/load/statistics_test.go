package main

import (
	"reflect"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
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

// The ranks are from a table of the sign test.
func TestConfidence(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]float64{1: {1, 1}, 5: {1, 5}, 6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 15: {4, 12}, 24: {7, 18}} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i)
		}
		if low, high := confidence(values); low != want[0] || high != want[1] {
			t.Errorf("%d values: got %v to %v, want %v to %v", n, low, high, want[0], want[1])
		}
	}
}

func TestPercentile(t *testing.T) {
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

func TestSummarise_takes_the_median_of_each_figure(t *testing.T) {
	t.Parallel()
	got := summarise([]sample{
		{requests: 100, elapsed: time.Second, p50: 3, p99: 10, server: 5, database: 1, client: 7},
		{requests: 300, elapsed: time.Second, p50: 1, p99: 30, server: 4, database: 2, client: 9},
		{requests: 400, elapsed: 2 * time.Second, p50: 2, p99: 20, server: 6, database: 3, client: 8},
	})
	want := summary{Rate: 200, Rates: []float64{100, 300, 200}, Lowest: 100, Highest: 300, P50: 2, P99: 20, Server: 5, Database: 2, Client: 8}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("summary: got %+v, want %+v", got, want)
	}
}

func TestNewSample_refuses_a_round_without_requests(t *testing.T) {
	t.Parallel()
	if _, err := newSample(nil, time.Second, costs{}); err == nil {
		t.Error("sample of nothing: got no error, want one")
	}
}
