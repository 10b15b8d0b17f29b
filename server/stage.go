package server

import "sync/atomic"

// stage is a stage in the life cycle of a program.
type stage int32

// Only a running program is ready: see readyz.
const (
	starting stage = iota
	running
	stopping
)

// currentStage is the stage that a program is in, at first starting. Probes read it while the
// program changes it.
type currentStage struct{ value atomic.Int32 }

// enter changes the stage.
func (c *currentStage) enter(s stage) { c.value.Store(int32(s)) }

// current returns the stage.
func (c *currentStage) current() stage { return stage(c.value.Load()) }
