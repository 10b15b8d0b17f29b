package child

import (
	"slices"
	"time"

	"portico/model"
	"portico/splat"
	"portico/worker/sandbox"
)

// Command is the subcommand of portico that carries out a request. Its only argument is the request
// in JSON. The protocol between a worker and a child:
//
//	argument         a Request
//	environment      only GOMEMLIMIT, TMPDIR and TZ
//	descriptor 3     Job.Lock, which the child only keeps open
//	standard output  lines of package jsonlines; the last one has a Result or a fault
//	standard error   what the Go runtime prints, for the log; diagnose looks for known messages
//	exit status      0 with a result, ExitInput with a fault, anything else for a failure
//
// The worker kills the child with SIGKILL: it has nothing to clean up, because all its files are in
// a folder that the worker removes.
const Command = "child"

// ExitInput is the exit status of a child that found a fault in the user's file. A crash of
// the Go runtime has the same status, but then no line with a fault was printed.
const ExitInput = 2

// Task selects what a child does with its input.
type Task string

const (
	// TaskInspect reads the facts of a file.
	TaskInspect Task = "inspect"
	// TaskConvert converts a file to another format, or to a picture.
	TaskConvert Task = "convert"
	// TaskConfinement tries every measure of package sandbox.
	TaskConfinement Task = "confinement"
)

// Request is a task for a child, with its limits.
type Request struct {
	Task Task `json:"task"`
	// Input is the capture.
	Input
	// Folder is the only folder where the child may create files; "" means none.
	Folder string `json:"folder,omitempty"`
	// Out is the file to make, relative to Folder. Its name decides the format.
	Out string `json:"out,omitempty"`
	// Edits are the changes of the capture before it is converted. Each model.MergeEdit among
	// them adds the next capture of Merged.
	Edits  []model.Edit `json:"edits,omitempty"`
	Merged []Input      `json:"merged,omitempty"`
	// Viewpoint is where posters are taken from; nil shows the whole subject.
	Viewpoint *model.PosterView `json:"viewpoint,omitempty"`
	// LookAround reports whether the viewpoint is inside a place: the turntable of a poster looks from
	// side to side there, and moves around anything else.
	LookAround bool `json:"look_around,omitempty"`
	// Workers is the number of processors that the child may use.
	Workers int `json:"workers,omitempty"`

	// Memory is the limit of the child's memory, in bytes.
	Memory int64 `json:"memory,omitempty"`
	// CPU is the limit of the child's processor time, summed over all threads.
	CPU time.Duration `json:"cpu,omitempty"`
	// FileSize is the limit for each file that the child makes, in bytes.
	FileSize int64 `json:"file_size,omitempty"`
	// Measures are the measures that confine the child before it reads a byte of the file.
	Measures []sandbox.Measure `json:"measures,omitempty"`
}

// Input is a file that a child reads: the capture, or one that is merged into it.
type Input struct {
	// In is the path of the file.
	In string `json:"in,omitempty"`
	// WholeFolder reports whether the other files in the folder of In, and in the folders
	// below it, belong to the capture.
	WholeFolder bool `json:"whole_folder,omitempty"`
	// SuggestedView is the view that the source of a converted capture suggested, in the coordinates
	// of In. It is part of the request because the format of In cannot store it. Nil means none.
	SuggestedView *model.SuggestedView `json:"view,omitempty"`
	// Up is the direction that the source declared as up, for the same reason.
	Up *[3]float64 `json:"up,omitempty"`
}

// Result is what a child prints last. Which fields it has depends on the task.
type Result struct {
	// Facts describe the input, or the output of a conversion.
	Facts *model.FileFacts `json:"facts,omitempty"`
	// Start is where visitors start, in the result of a collision.
	Start *model.Start `json:"start,omitempty"`
	// Pictures are the files of a poster. The first is Out.
	Pictures []Picture `json:"pictures,omitempty"`
	// Turntable is the strip of frames of a poster, with the size of one frame; nil for none. It has
	// model.TurntableFrames frames.
	Turntable *Picture `json:"turntable,omitempty"`
	// Missing maps each measure that does not work on this machine to the reason.
	Missing map[sandbox.Measure]string `json:"missing,omitempty"`
}

// Picture is a poster in one size, in pixels.
type Picture struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// factsOf returns facts as the database stores them.
func factsOf(f splat.Facts) *model.FileFacts {
	format := model.FileFormat(f.Format)
	if !slices.Contains(model.FileFormats(), format) {
		format = model.FormatOther // viewers do not read the others, such as CSV
	}
	return &model.FileFacts{
		Format: format, Version: f.Version,
		Splats: f.Splats, LeftOut: f.LeftOut, Degree: f.Degree, Model: string(f.Model), Levels: f.Levels, Environment: f.Environment,
		Bounds: (*model.Bounds)(f.Bounds), SuggestedView: (*model.SuggestedView)(f.SuggestedView), Up: f.Up, Collision: (*model.CollisionMeshes)(f.Collision),
		Width: f.Width, Height: f.Height,
		Offset: f.Offset, Meshes: f.Meshes, Instances: f.Instances, Vertices: f.Vertices, Triangles: f.Triangles, Materials: f.Materials, Animations: f.Animations,
		Extensions: f.Extensions, Attribution: f.Attribution,
	}
}

// startOf returns a start as the database stores it; nil for none.
func startOf(s *splat.Start) *model.Start {
	if s == nil {
		return nil
	}
	return &model.Start{
		Position: s.Position, Target: s.Target, Up: s.Up, Certainty: s.Certainty, Scene: model.Scene(s.Scene),
		WalkableArea: s.WalkableArea, DoubtfulScale: s.DoubtfulScale,
	}
}
