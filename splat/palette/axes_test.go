package palette

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAxes_keep_distances_and_come_in_the_order_of_variance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, dimension := range []int{1, 3, 4, 9, 24, 45} {
		const n = 700
		points := make([]float32, n*dimension)
		for i := range points {
			points[i] = float32(r.NormFloat64() * float64(1+i%dimension) / float64(dimension))
		}
		points[0] = 10 // the maximum; the scale is a power of two, here 1/16
		w := newWorkers(2, newProgress(nil))
		w.progress.setRounds(1)
		turned, err := principalAxes(points, dimension, 10).project(t.Context(), points, w)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n - 1 {
			want := 0.0
			for j := range dimension {
				d := float64(points[i*dimension+j]) - float64(points[(i+1)*dimension+j])
				want += d * d / 256
			}
			got := float64(distance(turned.at(uint32(i)), turned.at(uint32(i+1)), math.MaxFloat32))
			if math.Abs(got-want) > 1e-5*want+1e-7 {
				t.Fatalf("squared distance of points of %d = %v, want %v", dimension, got, want)
			}
		}
		squares := make([]float64, turned.width)
		for i, v := range turned.values {
			squares[i%turned.width] += float64(v) * float64(v)
		}
		for j := 1; j < len(squares); j++ {
			if squares[j] > 1.1*squares[j-1] || j >= dimension && squares[j] != 0 {
				t.Errorf("sums of the squares of %d axes = %v, want them to fall, to 0 behind the last", dimension, squares)
				break
			}
		}
	}
}
