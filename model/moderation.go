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

// ReportReason is why a space is reported or taken down.
type ReportReason string

// The database stores these words: another spelling needs a migration.
const (
	ReportCopyright ReportReason = "copyright" // shows a work without its author's permission
	ReportPersonal  ReportReason = "personal"  // shows people or private rooms without consent
	ReportIllegal   ReportReason = "illegal"
	ReportHarmful   ReportReason = "harmful" // hate, violence, or sexual content
	ReportSpam      ReportReason = "spam"    // advertising or deception
	ReportOther     ReportReason = "other"   // the text may say which
)

// ReportReasons returns the reasons that Validate accepts, in the order in which pages offer them.
func ReportReasons() []ReportReason {
	return []ReportReason{ReportCopyright, ReportPersonal, ReportIllegal, ReportHarmful, ReportSpam, ReportOther}
}

// Validate refuses any reason that ReportReasons does not return.
func (r ReportReason) Validate() error { return checkOneOf("reason", r, ReportReasons()) }

// MaxReportText is the maximum number of characters of a report, and of the text of a takedown.
const MaxReportText = 1000

// ReportSpace is the input of reportSpace, and of a takedown.
type ReportSpace struct {
	SpaceID string
	Reason  ReportReason
	Text    string // may be empty
}

// Validate refuses an unknown reason, and a text of more than MaxReportText characters.
func (in ReportSpace) Validate() error {
	if err := in.Reason.Validate(); err != nil {
		return err
	}
	return checkText("text", in.Text, MaxReportText)
}

// Report is a report of a space as operators see it. It does not name the reporter.
type Report struct {
	ID        string `bun:",pk"`
	Sequence  int64
	SpaceID   string
	Reason    ReportReason
	Text      string
	CreatedAt Time
}

// Takedown is the decision of an operator to take a space down.
type Takedown struct {
	SpaceID   string `bun:",pk"`
	Reason    ReportReason
	Text      string
	CreatedAt Time
}

// SpaceTakenDown refuses to publish a space that was taken down.
const SpaceTakenDown = "An operator has taken this space down: it stays Private until it is restored"
