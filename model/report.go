package model

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
