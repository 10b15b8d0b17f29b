package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		live uint64 // MiB
		want int
	}{
		{"of an empty heap", 0, 400},
		{"of a small heap is what saves time", 5, 400},
		{"leaves 64 MiB", 32, 200},
		{"leaves 64 MiB to a larger heap", 64, 100},
		{"of a large heap is a part of it", 1000, 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := garbagePercent(test.live << 20); got != test.want {
				t.Errorf("with %d MiB in use: got %d %%, want %d %%", test.live, got, test.want)
			}
		})
	}
}
