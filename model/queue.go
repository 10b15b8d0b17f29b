package model

// Queue is the unfinished work of one kind in one state.
type Queue struct {
	Kind, State   string
	Jobs          int64
	OldestSeconds float64
}
