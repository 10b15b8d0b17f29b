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
	latencies []time.Duration // of each request
	elapsed   time.Duration
	costs     costs // of all requests together
}

func newSample(latencies []time.Duration, elapsed time.Duration, c costs) (sample, error) {
	if len(latencies) == 0 {
		return sample{}, errors.New("the round had no request")
	}
	return sample{latencies, elapsed, c}, nil
}

// rate returns requests per second.
func (s sample) rate() float64 { return float64(len(s.latencies)) / s.elapsed.Seconds() }

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

// compareRates returns the geometric mean of the ratios of two contenders' rates, round by round,
// and the interval that has the true mean with a probability of 95 %.
//
// The rates of one round are measured within a second of each other, so a change of the machine's
// speed between two rounds does not change their ratio. The mean is geometric, so that the ratio of
// b to a is the inverse of the ratio of a to b. Its logarithm is the mean of many values, and so has
// a normal distribution. After a few rounds it does not, and the interval is too narrow. It is also
// too narrow by what two starts of one program differ, because the rounds of one start share that.
func compareRates(a, b []float64) (ratio, low, high float64) {
	n := float64(len(a))
	var sum, squares float64
	for round := range a {
		logarithm := math.Log(a[round] / b[round])
		sum += logarithm
		squares += logarithm * logarithm
	}
	center := sum / n
	deviation := math.Sqrt(max(squares-n*center*center, 0) / max(n-1, 1))
	margin := 1.96 * deviation / math.Sqrt(n)
	return math.Exp(center), math.Exp(center - margin), math.Exp(center + margin)
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

// summary is what all rounds of a contender measured together.
type summary struct {
	Rate     float64       `json:"rate"`
	Rates    []float64     `json:"rates"` // by round
	Lowest   float64       `json:"lowest_rate"`
	Highest  float64       `json:"highest_rate"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Server   time.Duration `json:"server_cpu_ns"` // for one request, as the next two
	Database time.Duration `json:"database_cpu_ns"`
	Client   time.Duration `json:"client_cpu_ns"`
}

// summarise adds up the rounds. One round is too short for a percentile of its own, and for CPU
// times, which the kernel counts in ticks of 10 ms.
func summarise(samples []sample) summary {
	var latencies []time.Duration
	var elapsed time.Duration
	var total costs
	rates := make([]float64, len(samples))
	for round, s := range samples {
		latencies = append(latencies, s.latencies...)
		elapsed += s.elapsed
		total = total.plus(s.costs)
		rates[round] = s.rate()
	}
	slices.Sort(latencies)
	n := time.Duration(len(latencies))
	return summary{
		Rate: float64(n) / elapsed.Seconds(), Rates: rates,
		Lowest: slices.Min(rates), Highest: slices.Max(rates),
		P50: percentile(latencies, 50), P99: percentile(latencies, 99),
		Server: total.server / n, Database: total.database / n, Client: total.client / n,
	}
}

// mean returns the mean of two values.
func mean(a, b float64) float64 { return (a + b) / 2 }
