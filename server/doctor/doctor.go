// Package doctor finds what is wrong with a server, and says what to do: rows whose objects are
// missing, objects that nothing names, sums that do not add up, clocks, settings, and the proxy in
// front. The command doctor runs it, while servers go on or not. It changes nothing unless it is told
// to correct what is safe to correct.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"portico/db"
	"portico/db/dump"
	"portico/db/migrations"
	"portico/storage"
)

// Options configures Examine.
type Options struct {
	// Database is the address of the database, with the role that owns the tables.
	Database string
	Store    storage.Store
	// OpensKey reports whether the server's secret decrypts the API key of an account.
	OpensKey func(account string, sealed []byte) bool
	// PublicURL is the public address of the server, and FilesURL that of its files. Empty for a
	// server that has none: nothing is sent then.
	PublicURL, FilesURL string
	// TrustedProxies are the proxies whose X-Forwarded-For the server trusts.
	TrustedProxies []netip.Prefix
	// Version is the version of the program.
	Version string
	// Fix corrects what is safe to correct.
	Fix bool
	// now is the clock; nil means time.Now. For tests.
	now func() time.Time
}

// Finding is something that is wrong, or that an operator should know.
type Finding struct {
	// What happened, and what to do. Both are sentences without a full stop.
	What, Do string
	// IsNote reports that nothing is wrong.
	IsNote bool
	// IsFixed reports that it was corrected.
	IsFixed bool
}

// String returns the finding in one line.
func (f Finding) String() string {
	kind := "problem"
	switch {
	case f.IsFixed:
		kind = "fixed"
	case f.IsNote:
		kind = "note"
	}
	if f.Do == "" {
		return fmt.Sprintf("%s: %s.", kind, f.What)
	}
	return fmt.Sprintf("%s: %s. %s.", kind, f.What, f.Do)
}

// Report is the result of an examination.
type Report struct {
	Findings []Finding
	Rows     int // that name objects
	Objects  int
}

// Problems returns the number of findings that are wrong and were not corrected.
func (r *Report) Problems() (n int) {
	for _, f := range r.Findings {
		if !f.IsNote && !f.IsFixed {
			n++
		}
	}
	return n
}

func (r *Report) problem(what, do string) {
	r.Findings = append(r.Findings, Finding{What: what, Do: do})
}

func (r *Report) note(what, do string) {
	r.Findings = append(r.Findings, Finding{What: what, Do: do, IsNote: true})
}

func (r *Report) fixed(what, do string) {
	r.Findings = append(r.Findings, Finding{What: what, Do: do, IsFixed: true})
}

// Examine returns what it finds. An error means that it could not look.
func Examine(ctx context.Context, o Options) (*Report, error) {
	if o.now == nil {
		o.now = time.Now
	}
	e := &examination{o, &Report{}}
	snapshot, err := dump.OpenSnapshot(ctx, o.Database)
	if errors.Is(err, dump.ErrNoTables) {
		e.problem("the database has no tables yet", "Start portico serve, or run portico migrate")
		e.lookFromOutside(ctx)
		return e.Report, nil
	}
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	if err := e.lookAtClock(ctx, snapshot); err != nil {
		return nil, err
	}
	err = snapshot.CheckVersion(ctx)
	if errors.Is(err, migrations.ErrNewer) || errors.Is(err, migrations.ErrOlder) {
		e.problem(err.Error(), "")
	} else if err != nil {
		return nil, err
	} else if err := errors.Join(e.lookAtRows(ctx, snapshot), e.lookAtStore(ctx, snapshot)); err != nil {
		return nil, err
	}
	e.lookFromOutside(ctx)
	return e.Report, nil
}

type examination struct {
	Options

	*Report
}

// maxClockDifference is how far two clocks may differ. Addresses of uploads work for at least seconds,
// and a bucket accepts a difference of 15 minutes.
const maxClockDifference = 5 * time.Second

func (e *examination) lookAtClock(ctx context.Context, snapshot *dump.Snapshot) error {
	ahead, uncertain, err := snapshot.ClockDifference(ctx)
	if err != nil {
		return err
	}
	if ahead.Abs() > maxClockDifference+uncertain {
		direction := "ahead of"
		if ahead < 0 {
			direction = "behind"
		}
		e.problem(fmt.Sprintf("the clock of the database is %s %s the one of this machine", ahead.Abs().Round(time.Second), direction),
			"Let both machines get their time by NTP: addresses of uploads and one-time codes depend on it")
	}
	return nil
}

// lookAtRows compares rows with rows.
func (e *examination) lookAtRows(ctx context.Context, snapshot *dump.Snapshot) error {
	for _, look := range []func(context.Context, *dump.Snapshot) error{e.lookAtSums, e.lookAtContradictions, e.lookAtWaiting, e.lookAtQuotas, e.lookAtSecret} {
		if err := look(ctx, snapshot); err != nil {
			return err
		}
	}
	return nil
}

func (e *examination) lookAtSums(ctx context.Context, snapshot *dump.Snapshot) error {
	var lines []string
	for _, kind := range []string{db.TotalsMiscount, db.JSONMiscount, db.HistoryMiscount} {
		wrong, err := snapshot.Miscounts(ctx, kind)
		if err != nil {
			return err
		}
		for _, m := range wrong {
			lines = append(lines, fmt.Sprintf("%s of %q is kept as %d, and counting finds %d", kind, m.ID, m.Kept, m.Counted))
		}
	}
	if e.Fix && len(lines) > 0 {
		if err := dump.Recount(ctx, e.Database); err != nil {
			return fmt.Errorf("count again: %w", err)
		}
	}
	for _, line := range lines {
		if e.Fix {
			e.fixed(line, "It was counted again")
		} else {
			e.problem(line, "portico doctor --fix counts again")
		}
	}
	return nil
}

func (e *examination) lookAtContradictions(ctx context.Context, snapshot *dump.Snapshot) error {
	contradictions, err := snapshot.Contradictions(ctx)
	for _, what := range contradictions {
		e.problem(what, "Report it with the log of that time: a server never leaves such rows")
	}
	return err
}

func (e *examination) lookAtQuotas(ctx context.Context, snapshot *dump.Snapshot) error {
	full, err := snapshot.OverQuota(ctx)
	for _, account := range full {
		e.note("the account "+account+" uses more than its quota", "It can delete, and store nothing more. portico user set "+account+" --quota BYTES gives it more")
	}
	return err
}

func (e *examination) lookAtSecret(ctx context.Context, snapshot *dump.Snapshot) error {
	const tried = 20
	keys, err := snapshot.SealedKeys(ctx, tried)
	closed := 0
	for account, sealed := range keys {
		if !e.OpensKey(account, sealed) {
			closed++
		}
	}
	if closed > 0 {
		e.problem(fmt.Sprintf("the server's secret does not decrypt %d of %d API keys", closed, len(keys)),
			"Set PORTICO_SECRET, or the file secret in the data folder, to the one that the server had when they were made")
	}
	return err
}

// maxWait is how long work may wait for a worker: the longest that a busy one lets others wait is
// shorter.
const maxWait = 10 * time.Minute

func (e *examination) lookAtWaiting(ctx context.Context, snapshot *dump.Snapshot) error {
	waiting, err := snapshot.Waiting(ctx)
	if err != nil {
		return err
	}
	if waiting.Oldest > maxWait {
		e.problem(fmt.Sprintf("%d jobs wait for a worker, the oldest for %s", waiting.Jobs, waiting.Oldest.Round(time.Second)),
			"Start portico worker, or portico serve with PORTICO_WORKERS above 0")
	}
	if waiting.Removals > 0 {
		e.problem(fmt.Sprintf("%d objects should have been removed from the store a day ago", waiting.Removals),
			"Look for \"purge\" and \"remove from the store\" in the log of the workers")
	}
	return nil
}
