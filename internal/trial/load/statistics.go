package main

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"
)

// sample is what one round of one contender measured.
type sample struct {
	requests int
	elapsed  time.Duration
	p50, p99 time.Duration
	// The CPU time that each side took for one request.
	server, database, client time.Duration
}

// rate returns requests per second.
func (s sample) rate() float64 { return float64(s.requests) / s.elapsed.Seconds() }

// median returns the value in the middle, the mean of two in the middle, or 0 for no
// values.
func median[T cmp.Ordered](values []T, mean func(a, b T) T) T {
	var zero T
	if len(values) == 0 {
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return mean(sorted[middle-1], sorted[middle])
}

// confidence returns the interval that has the median of the distribution with a probability of at
// least 95 %, whatever the distribution: of n values, the number below the median is binomial with
// p = 1/2. Fewer than six values prove less, and the interval is all of them.
func confidence(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	// tail is the probability that at most skipped values are below the median.
	probability := math.Pow(0.5, float64(n))
	skipped, tail := 0, probability
	for tail <= 0.025 {
		skipped++
		probability *= float64(n-skipped+1) / float64(skipped)
		tail += probability
	}
	// The interval from the value k to the value n+1-k misses the median if fewer than k values are
	// on one side of it.
	k := max(skipped, 1)
	return sorted[k-1], sorted[n-k]
}

// percentile returns the smallest value that p percent of the sorted values do
// not exceed (nearest rank), and 0 of nothing.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// newSample returns the sample of all latencies of a round.
func newSample(latencies []time.Duration, elapsed time.Duration, c costs) (sample, error) {
	if len(latencies) == 0 {
		return sample{}, errors.New("the round had no request")
	}
	slices.Sort(latencies)
	n := time.Duration(len(latencies))
	return sample{
		requests: len(latencies), elapsed: elapsed,
		p50: percentile(latencies, 50), p99: percentile(latencies, 99),
		server: c.server / n, database: c.database / n, client: c.client / n,
	}, nil
}

// summary is the median of each figure over the rounds.
type summary struct {
	Rate     float64       `json:"rate"`
	Rates    []float64     `json:"rates"` // by round
	Lowest   float64       `json:"lowest_rate"`
	Highest  float64       `json:"highest_rate"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Server   time.Duration `json:"server_cpu_ns"`
	Database time.Duration `json:"database_cpu_ns"`
	Client   time.Duration `json:"client_cpu_ns"`
}

// summarise returns the median of each figure. One round with a neighbour on the machine
// does not move it, as it would move a mean.
func summarise(samples []sample) summary {
	rates := collect(samples, sample.rate)
	duration := func(figure func(sample) time.Duration) time.Duration {
		return median(collect(samples, figure), func(a, b time.Duration) time.Duration { return (a + b) / 2 })
	}
	return summary{
		Rate: median(rates, mean), Rates: rates,
		Lowest: slices.Min(rates), Highest: slices.Max(rates),
		P50:      duration(func(s sample) time.Duration { return s.p50 }),
		P99:      duration(func(s sample) time.Duration { return s.p99 }),
		Server:   duration(func(s sample) time.Duration { return s.server }),
		Database: duration(func(s sample) time.Duration { return s.database }),
		Client:   duration(func(s sample) time.Duration { return s.client }),
	}
}

func mean(a, b float64) float64 { return (a + b) / 2 }

// collect returns one figure of each sample.
func collect[T any](samples []sample, figure func(sample) T) []T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	return values
}
