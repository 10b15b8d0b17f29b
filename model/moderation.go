package model

// ModeratedSpace is a space as operators see it. It has what they need to decide about a takedown,
// but not the content of the space.
type ModeratedSpace struct {
	ID         string `bun:",pk"`
	OwnerID    string
	OwnerName  string
	OwnerEmail string
	Sequence   int64
	Title      string
	Privacy    Privacy
	VisitCount int64
	CreatedAt  Time
	// OpenReports is the number of reports that no operator has answered.
	OpenReports int
	// TakenDownAt is when the space was taken down; zero if it was not.
	TakenDownAt    Time `bun:",nullzero"`
	TakedownReason ReportReason
	TakedownText   string
	// Reports are the latest open reports; nil if they were not read.
	Reports []*Report `bun:"-"`
}

// Cursor returns the space's cursor in lists.
func (s *ModeratedSpace) Cursor() string { return Cursor(s.Sequence) }

// Key implements Sortable.
func (s *ModeratedSpace) Key(OrderField) (int64, string) { return s.Sequence, "" }

// Takedown returns why the space was taken down; nil for a space that was not.
func (s *ModeratedSpace) Takedown() *Takedown {
	if s.TakenDownAt.IsZero() {
		return nil
	}
	return &Takedown{SpaceID: s.ID, Reason: s.TakedownReason, Text: s.TakedownText, CreatedAt: s.TakenDownAt}
}

// ModeratedSpaceConnection is one page of spaces, newest first.
type ModeratedSpaceConnection Connection[*ModeratedSpace]

// ModerationFilter selects the spaces that operators see. A nil field selects all spaces.
type ModerationFilter struct {
	Reported  *bool // with open reports
	TakenDown *bool
	Search    string // in titles, and the whole id of the space or of its owner
}

// Edges returns the spaces with their cursors.
func (c *ModeratedSpaceConnection) Edges() []ModeratedSpaceEdge {
	return edgesOf[*ModeratedSpace, ModeratedSpaceEdge](c.Nodes, c.Order)
}

// ModeratedSpaceEdge is a space with its cursor.
type ModeratedSpaceEdge Edge[*ModeratedSpace]
