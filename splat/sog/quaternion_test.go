package sog

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rotationError returns the angle between a rotation and its decoded bytes in degrees.
func rotationError(q [4]float32) float64 {
	packed := packQuaternion(q[0], q[1], q[2], q[3])
	var back [4]float32
	unpackQuaternion(packed[:], back[:])
	var dot, length, other float64
	for i := range q {
		dot += float64(q[i]) * float64(back[i])
		length += float64(q[i]) * float64(q[i])
		other += float64(back[i]) * float64(back[i])
	}
	return 2 * math.Acos(min(1, math.Abs(dot)/math.Sqrt(length*other))) * 180 / math.Pi
}

func TestPackQuaternion_is_exact_on_average(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	sum, maxError := 0.0, 0.0
	for range n {
		e := rotationError([4]float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())})
		sum, maxError = sum+e, max(maxError, e)
	}
	if mean := sum / n; mean > 0.34 || maxError > 1 {
		t.Errorf("error: got %.3f degrees, at most %.3f, want 0.34 and 1", mean, maxError)
	}
}

func TestPackQuaternion_accepts_any_values(t *testing.T) {
	t.Parallel()
	inf, nan, s := float32(math.Inf(1)), float32(math.NaN()), float32(math.Sqrt(0.5))
	none := [4]byte{128, 128, 128, 252}
	for name, test := range map[string]struct {
		q    [4]float32
		want [4]byte
	}{
		"no turn":           {[4]float32{0, 0, 0, 1}, none},
		"no turn, negative": {[4]float32{0, 0, 0, -1}, none},
		"half a turn":       {[4]float32{1, 0, 0, 0}, [4]byte{128, 128, 128, 253}},
		"long":              {[4]float32{0, 1e38, 0, 0}, [4]byte{128, 128, 128, 254}},
		"a quarter turn":    {[4]float32{s, 0, 0, s}, [4]byte{255, 128, 128, 252}},
		"zero":              {[4]float32{}, none},
		"infinite":          {[4]float32{inf, 0, 0, 1}, none},
		"no number":         {[4]float32{0, nan, 0, 1}, none},
	} {
		if got := packQuaternion(test.q[0], test.q[1], test.q[2], test.q[3]); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

func TestUnpackQuaternion_returns_unit_quaternions(t *testing.T) {
	t.Parallel()
	// The corners of the cube of all bytes are outside the unit sphere.
	for _, packed := range [][]byte{{0, 0, 0, 252}, {255, 255, 255, 255}, {128, 0, 255, 253}, {1, 2, 3, 4}} {
		var q [4]float32
		unpackQuaternion(packed, q[:])
		length := 0.0
		for _, v := range q {
			length += float64(v) * float64(v)
		}
		if math.Abs(length-1) > 1e-6 {
			t.Errorf("%d: got %g, of length %g", packed, q, math.Sqrt(length))
		}
	}
}

func BenchmarkPackQuaternion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rotations := make([][4]float32, 1<<17)
	for i := range rotations {
		for k := range 4 {
			rotations[i][k] = float32(r.NormFloat64())
		}
	}
	for b.Loop() {
		for _, q := range rotations {
			packQuaternion(q[0], q[1], q[2], q[3])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rotations)), "ns/rotation")
}
