package palette_test

import (
	"context"
	"fmt"

	"portico/splat/palette"
)

func ExampleBuild() {
	points := []float32{ // four points of three values
		0, 0, 1,
		5, 5, 5,
		0, 0, 0,
		5, 5, 7,
	}
	p, err := palette.Build(context.Background(), points, 3, 2, palette.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, label := range p.Labels {
		fmt.Println(points[3*i:3*i+3], "is stored as", p.Centroids[3*label:3*label+3])
	}
	// Output:
	// [0 0 1] is stored as [0 0 0.5]
	// [5 5 5] is stored as [5 5 6]
	// [0 0 0] is stored as [0 0 0.5]
	// [5 5 7] is stored as [5 5 6]
}

func ExampleCodebook() {
	c := palette.NewCodebook([]float32{0.5, -1, 0.5, 3})
	fmt.Println(c.Entries(), c.Index(0.4))
	// Output:
	// [-1 0.5 3] 1
}
