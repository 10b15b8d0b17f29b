package db

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/internal/background"
)

// PollInterval is the usual time between two polls: the maximum delay that a lost announcement
// causes.
const PollInterval = 5 * time.Second

// poller finds changes whose announcement was lost, and wakes the watchers of their topics. A poll
// is one statement for each kind of topic that this process watches, however many topics there are.
//
// A poll compares versions: texts that change with every write that watchers must see. It returns
// the topics whose version differs from the version of the previous poll, so an idle server
// receives no rows. The first poll of a topic always wakes: its watcher may have read before the
// last change.
type poller struct {
	root     *bun.DB
	listener *listener
	log      *slog.Logger
	interval time.Duration

	seen   map[Topic]string // the versions of the last poll; only run uses it
	outage background.OutageLog
}

func newPoller(root *bun.DB, listener *listener, o Options) *poller {
	return &poller{root: root, listener: listener, log: o.Logger, interval: o.PollInterval}
}

// run polls at intervals until ctx ends.
func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		background.Pause(ctx, p.interval)
		p.poll(ctx)
	}
}

// poll wakes the watchers of every topic that has another version than at the previous poll. If a
// statement fails, the topics of its kind keep their versions, so the next poll finds the changes.
// A poll without a statement does not show whether an outage has ended.
func (p *poller) poll(ctx context.Context) {
	watched := p.listener.watched()
	if len(watched) == 0 {
		p.seen = nil
		return
	}
	seen := map[Topic]string{}
	var failure error
	for kind, ids := range watched {
		versions := make([]string, len(ids))
		for i, id := range ids {
			topic := topicOf(kind, id)
			versions[i] = p.seen[topic]
			seen[topic] = versions[i]
		}
		changed, err := changedRows(ctx, p.root, kind, ids, versions)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // the database is unavailable: the next poll compares again
			failure = fmt.Errorf("%s: %w", kind, err)
		}
		for _, row := range changed {
			topic := topicOf(kind, row.ID)
			seen[topic] = row.Version
			p.listener.wake(topic)
		}
	}
	p.seen = seen
	p.outage.Record(p.log, failure, "poll for changes", "the polls for changes succeed again")
}

// watched returns the ids of the watched topics that a poll can compare, by their kind.
func (l *listener) watched() map[string][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	byKind := map[string][]string{}
	for topic := range l.watchers {
		if kind, id, _ := strings.Cut(string(topic), ":"); versionOf(kind) != "" {
			byKind[kind] = append(byKind[kind], id)
		}
	}
	return byKind
}

// changedRows returns the ids whose version is not the given one, with their new versions. An empty
// version is never the current one.
//
// Each version is the result of an aggregate, which Postgres computes for one id after the other,
// by an index: it never reads a whole table, however many ids there are.
func changedRows(ctx context.Context, idb bun.IDB, kind string, ids, versions []string) (changed []RowVersion, err error) {
	err = idb.NewRaw(`
		SELECT watched.id, latest.version
		FROM unnest(?::text[], ?::text[]) AS watched (id, version), LATERAL (`+versionOf(kind)+`) AS latest
		WHERE latest.version <> watched.version`,
		pgdialect.Array(ids), pgdialect.Array(versions)).Scan(ctx, &changed)
	return changed, translate(err)
}

// versionOf returns the query of the version of watched.id, for a kind of topic; "" for a kind
// whose watchers do not depend on polls.
//
// The version of a user is the last notification. An older transaction may still add one before it,
// but the read that the last one causes is repeated until that transaction has ended
// (NotificationsAfter). The version of a space is of its row and of all its entities, because package
// graph broadcasts both.
func versionOf(kind string) string {
	switch kind {
	case jobKind:
		return versionOfRows("xmin::text", "jobs WHERE id = watched.id")
	case jobsKind:
		return versionOfRows("id || ' ' || xmin::text", "jobs WHERE "+belongsTo("watched.id"))
	case filesKind:
		return versionOfRows("resource_key || ' ' || xmin::text", "files WHERE "+belongsTo("watched.id"))
	case spacesKind:
		return versionOfRows("id || ' ' || version", "spaces WHERE "+ownedBy("watched.id"))
	case spaceKind:
		return versionOfRows("written", `(
			SELECT id || ' ' || xmin::text AS written FROM spaces WHERE id = watched.id
			UNION ALL
			SELECT entity_id || ' ' || xmin::text FROM entities WHERE space_id = watched.id AND `+listedEntity+`) AS rows`)
	case userKind:
		return `SELECT coalesce((
			SELECT n.transaction::text || ' ' || n.sequence FROM notifications AS n
			WHERE n.` + belongsTo("watched.id") + ` ORDER BY n.transaction DESC, n.sequence DESC LIMIT 1), 'none') AS version`
	}
	return ""
}

// versionOfRows returns the query of a version that changes when a row is added, written or
// deleted. row is the expression of a text that changes with every write of a row; from are the
// rows.
//
// The sum does not depend on the order of the rows, so they need no sort.
func versionOfRows(row, from string) string {
	return "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(" + row + ", 0)), 0) AS version FROM " + from
}
