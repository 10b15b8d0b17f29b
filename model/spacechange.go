package model

// SpaceChange is how one thing of a space differs between two versions.
type SpaceChange struct {
	Sequence int64 `json:"-"`
	// Target is the id of an entity, the path of a plugin or an asset such as
	// plugins/clock.mjs, or empty for the settings of the space.
	Target string
	// The type and the content before and after the change. Before is nil if the thing was
	// created, and After is nil if it was deleted.
	BeforeType *string
	Before     Object
	AfterType  *string
	After      Object
}

// Cursor returns the change's cursor in lists.
func (c *SpaceChange) Cursor() string { return Cursor(c.Sequence) }

// Key implements Sortable.
func (c *SpaceChange) Key(OrderField) (int64, string) { return c.Sequence, "" }

// SpaceChangeConnection is one page of changes, by target.
type SpaceChangeConnection Connection[*SpaceChange]

// Edges returns the changes with their cursors.
func (c *SpaceChangeConnection) Edges() []SpaceChangeEdge {
	return edgesOf[*SpaceChange, SpaceChangeEdge](c.Nodes, c.Order)
}

// SpaceChangeEdge is a change with its cursor.
type SpaceChangeEdge Edge[*SpaceChange]
