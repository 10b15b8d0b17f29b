package main

import (
	"math/rand/v2"
	"strings"

	"portico/splat"
)

// merging says what a task merges a damaged capture with.
type merging int

const (
	mergeNothing merging = iota
	// mergeSame is the damaged capture once more, so both have the same number of levels.
	mergeSame
	// mergeValid is a valid capture of one level.
	mergeValid
)

// task is a command of the program that runs on a capture.
type task struct {
	// name identifies the task in reports.
	name string
	// args are the subcommand and its flags, without the flags of all tasks.
	args []string
	// out is the file or folder that the task writes, if any.
	out string
	// changes are flags after the capture, which change it before it is merged.
	changes []string
	// merge is the second capture, if any.
	merge merging
}

// results returns the names of all files and folders that the task writes.
func (t task) results() []string {
	if stem, ok := strings.CutSuffix(t.out, splat.CollisionSuffix); ok {
		return []string{t.out, stem + splat.CollisionBinarySuffix}
	}
	return []string{t.out}
}

// conversion returns a task that converts a capture to out.
func conversion(name, out string, flags ...string) task {
	return task{name: name, args: append([]string{"convert", "--workers", "1"}, flags...), out: out}
}

// tasks returns the tasks for a capture that every round has.
func tasks(c capture) []task {
	all := []task{{name: "poster", args: []string{"convert"}, out: "poster.jpg"}, {name: "inspect", args: []string{"inspect"}}}
	if c.primary == "mesh.ply" {
		all = append(all, conversion("mesh", "made.glb"))
	}
	if c.gaussians {
		all = append(all, conversion("convert", "made"),
			conversion("collision", "made.voxel.json", "--voxel-size", "0.2"),
			conversion("levels", "made.ply", "--decimate", "30%"))
	}
	return all
}

// writers returns the tasks that write a capture of Gaussians in the formats that tasks does not,
// or write a merged or changed one. Each round has one of them.
//
// All of them in each round would take most of its time; over many rounds each capture meets each
// of them.
func writers(c capture) []task {
	if !c.gaussians {
		return nil
	}
	levels := conversion("merged-levels", "made")
	levels.changes, levels.merge = []string{"--rotate", "0,90,0"}, mergeSame
	finest := conversion("merged-finest", "made.sog")
	finest.changes, finest.merge = []string{"--scale", "0.5", "--translate", "1,2,3"}, mergeValid
	return []task{
		conversion("csv", "made.csv"), conversion("spz", "made.spz"), conversion("compressed", "made.compressed.ply"),
		conversion("glb", "made.glb"), conversion("sog", "made.sog"),
		conversion("spz3", "made.spz", "--spz-version", "3"),
		conversion("changed", "made.ply", "--rotate", "10,20,30", "--scale", "2", "--translate", "1,2,3", "--filter-harmonics", "1"),
		conversion("filtered", "made.ply", "--filter-box", "-200,-200,-200,200,200,200", "--filter-sphere", "0,0,0,150",
			"--filter-value", "opacity,gt,0.1", "--filter-nan", "--filter-floaters", "0.2,0.1,0.004"),
		conversion("turntable", "made.webp", "--turntable", "--width", "48", "--height", "30", "--turntable-frames", "3"),
		conversion("png", "made.png"), conversion("webp", "made.webp"),
		conversion("mesh", "made.collision.glb", "--voxel-size", "0.2"),
		conversion("steps", "made.voxel.json", "--voxel-size", "0.2", "--voxel-floor-fill", "1.6", "--voxel-carve", "1.6,0.2"),
		levels, finest,
	}
}

// writer returns the writer of a round, if the capture has any.
func writer(c capture, number uint64) []task {
	all := writers(c)
	if all == nil {
		return nil
	}
	// Captures take turns too: in a fixed order, a capture would meet some of the writers only.
	at := rand.New(rand.NewPCG(number, 1)).IntN(len(all)) //nolint:gosec // not a secret
	return all[at : at+1]
}
