package model

// Node is what the schema calls Node: a thing with an id that nothing else of
// its type has.
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
