package model

// Node is the interface Node of the schema: an object with an id that is unique among the
// objects of its type.
type Node interface{ IsNode() }

// IsNode marks an account.
func (User) IsNode() {}

// IsNode marks a space.
func (Space) IsNode() {}

// IsNode marks an entity.
func (Entity) IsNode() {}

// IsNode marks a file.
func (File) IsNode() {}

// IsNode marks a job.
func (Job) IsNode() {}
