package main

import (
	"encoding/json"
	"maps"
)

// sogVersion1 returns a SOG folder of version 1: the images of version 2, with ranges in
// the place of its codebooks (playcanvas/engine, src/framework/parsers/sogs.js). The bytes
// mean other values than before, but valid ones.
func sogVersion1(c capture) (capture, error) {
	var old struct {
		Count int            `json:"count"`
		Means map[string]any `json:"means"`
		SHN   map[string]any `json:"shN"`
	}
	if err := json.Unmarshal(c.files[c.primary], &old); err != nil {
		return capture{}, err
	}
	old.Means["shape"] = []int{old.Count, 3}
	manifest := map[string]any{
		"means":  old.Means,
		"scales": map[string]any{"mins": []float64{-9, -9, -9}, "maxs": []float64{0, 0, 0}, "files": []string{"scales.webp"}},
		"quats":  map[string]any{"files": []string{"quats.webp"}},
		"sh0":    map[string]any{"mins": []float64{-2, -2, -2, -5}, "maxs": []float64{2, 2, 2, 5}, "files": []string{"sh0.webp"}},
	}
	if old.SHN != nil {
		manifest["shN"] = map[string]any{"mins": -1, "maxs": 1, "files": old.SHN["files"]}
	}
	made := capture{"sog-version1", maps.Clone(c.files), c.primary, true}
	var err error
	made.files[c.primary], err = json.Marshal(manifest)
	return made, err
}
