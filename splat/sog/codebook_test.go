package sog

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A chunk has more values than are sampled. The few that are far from all others need
// entries too.
func TestNewCodebook_has_entries_for_rare_values(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, codebookSample+codebookSample/7)
	for i := range values {
		values[i] = float32(-4 + 0.8*random.NormFloat64())
	}
	for i := range 60 { // a few in ten thousand, spread out
		values[random.IntN(len(values))] = -9 - float32(i)/12
	}
	book := newCodebook(values)
	square, worst := 0.0, 0.0
	for _, v := range values {
		e := math.Abs(float64(v - book.Entries()[book.Index(v)]))
		square += e * e
		worst = max(worst, e)
	}
	if rms := math.Sqrt(square / float64(len(values))); rms > 0.007 {
		t.Errorf("got an error of %v, want at most 0.007", rms)
	}
	if worst > 0.15 {
		t.Errorf("got an error of %v for a rare value, want at most 0.15", worst)
	}
}
