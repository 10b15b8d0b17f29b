package db

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// statementsOfPolls are the polls of each kind of topic, for so many ids that a join would read
// whole tables.
func statementsOfPolls() statementsOf {
	calls := statementsOf{}
	ids := []string{grownUser, grownSpace, "j4"}
	for n := range 2000 {
		ids = append(ids, strconv.Itoa(n))
	}
	for _, kind := range []string{jobKind, jobsKind, spaceKind, filesKind, spacesKind, userKind} {
		calls["poll of "+kind] = func(ctx context.Context, db *DB) error {
			_, err := changedRows(ctx, db.idb, kind, ids, make([]string, len(ids)))
			return err
		}
	}
	return calls
}

// signaled reports whether the channel has a signal, and takes it.
func signaled(watched <-chan struct{}) bool {
	select {
	case <-watched:
		return true
	default:
		return false
	}
}

// pollOnce polls, and checks which of the watched topics got a signal.
func pollOnce(t *testing.T, l *listener, watched []<-chan struct{}, when string, want ...bool) {
	t.Helper()
	l.poller.poll(t.Context())
	for i, topic := range watched {
		if got := signaled(topic); got != want[i] {
			t.Errorf("%s, topic %d: got a signal: %t, want %t", when, i, got, want[i])
		}
	}
}

// A poll finds what another process changed and did not announce, and nothing else.
func TestPoll_wakes_the_watchers_of_what_changed(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, grownTables)
	for name, test := range map[string]struct {
		topic, other Topic
		change       string
	}{
		"a job":                  {JobTopic("j10"), JobTopic("j11"), "UPDATE jobs SET message = 'x' WHERE id = 'j10'"},
		"a job that was deleted": {JobTopic("j20"), JobTopic("j21"), "DELETE FROM jobs WHERE id = 'j20'"},
		"the jobs of a user": {
			JobsTopic("10000031"), JobsTopic("10000032"), "UPDATE jobs SET message = 'x' WHERE id = 'j30'",
		},
		"the files of a user": {
			FilesTopic("10000041"), FilesTopic("10000042"), "UPDATE files SET name = 'x' WHERE resource_key = 'key40'",
		},
		"the files of a user after a deletion": {
			FilesTopic("10000051"), FilesTopic("10000052"), "DELETE FROM files WHERE resource_key = 'key50'",
		},
		"the spaces of a user": {
			SpacesTopic("10000061"), SpacesTopic("10000062"), "UPDATE spaces SET version = version + 1 WHERE id = 's60'",
		},
		"the right to read a space": {
			SpaceTopic("s70"), SpaceTopic("s71"), "UPDATE spaces SET privacy = 'Public' WHERE id = 's70'",
		},
		"an entity of a space": {
			SpaceTopic("s80"), SpaceTopic("s81"), "UPDATE entities SET data = '{}' WHERE entity_id = 'e79'",
		},
		"a space after the deletion of an entity": {
			SpaceTopic("s90"), SpaceTopic("s91"), "DELETE FROM entities WHERE entity_id = 'e89'",
		},
		"a space that was deleted": {SpaceTopic("s100"), SpaceTopic("s101"), "DELETE FROM spaces WHERE id = 's100'"},
		"the notifications of a user": {
			UserTopic("10000111"), UserTopic("10000112"),
			"INSERT INTO notifications (user_id, type, space_id) VALUES ('10000111', 'space-published', 's1')",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener(db.root, db.address, "", Options{Logger: quiet()})
			watched := []<-chan struct{}{l.watch(t.Context(), []Topic{test.topic}), l.watch(t.Context(), []Topic{test.other})}
			pollOnce(t, l, watched, "first poll", true, true)
			pollOnce(t, l, watched, "without a change", false, false)
			asAdmin(t, db, test.change)
			pollOnce(t, l, watched, "after a change", true, false)
			pollOnce(t, l, watched, "after the poll that found it", false, false)
		})
	}
	t.Run("not for a visit, which changes no list of spaces", func(t *testing.T) {
		t.Parallel()
		l := newListener(db.root, db.address, "", Options{Logger: quiet()})
		watched := []<-chan struct{}{l.watch(t.Context(), []Topic{SpacesTopic("10000121")})}
		pollOnce(t, l, watched, "first poll", true)
		asAdmin(t, db, "UPDATE spaces SET visit_count = visit_count + 1 WHERE id = 's120'")
		pollOnce(t, l, watched, "after a visit", false)
	})
}

// A poll costs one statement for each kind of topic, however many accounts have subscriptions.
func TestPoll_is_one_statement_for_all_topics_of_a_kind(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ran := &recorder{}
	l := newListener(db.root.WithQueryHook(ran), db.address, "", Options{Logger: quiet()})
	l.watch(t.Context(), []Topic{TopicRevoked, "other"}) // nothing to poll
	l.poller.poll(t.Context())
	if got := len(ran.statements); got != 0 {
		t.Errorf("statements without subscriptions: got %d, want 0", got)
	}
	const accounts = 300
	for n := range accounts {
		id := strconv.Itoa(n)
		l.watch(t.Context(), []Topic{JobTopic(id), JobsTopic(id), SpaceTopic(id), FilesTopic(id), SpacesTopic(id), UserTopic(id)})
	}
	const kinds, polls = 6, 3
	for range polls {
		l.poller.poll(t.Context())
	}
	if got, want := len(ran.statements), polls*kinds; got != want {
		t.Errorf("statements of %d polls for %d accounts: got %d, want %d", polls, accounts, got, want)
	}
	if got, want := len(l.poller.seen), accounts*kinds; got != want {
		t.Errorf("versions in memory: got %d, want %d", got, want)
	}
	l.mu.Lock()
	clear(l.watchers)
	l.mu.Unlock()
	l.poller.poll(t.Context())
	if got := len(l.poller.seen); got != 0 {
		t.Errorf("versions in memory after the end of all: got %d, want 0", got)
	}
}

// A change is found after the database was unavailable, even if it happened before.
func TestPoll_is_repeated_after_an_error(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	var log bytes.Buffer
	l := newListener(db.root, db.address, "", Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	watched := []<-chan struct{}{l.watch(t.Context(), []Topic{JobTopic(job.ID)}), l.watch(t.Context(), []Topic{SpaceTopic("s")})}
	pollOnce(t, l, watched, "first poll", true, true)
	asAdmin(t, db, "UPDATE jobs SET message = 'x'")
	asAdmin(t, db, "ALTER TABLE jobs RENAME TO away")
	pollOnce(t, l, watched, "while there is no table", false, false)
	pollOnce(t, l, watched, "again", false, false)
	if got, want := strings.Count(log.String(), "poll for changes"), 1; got != want {
		t.Errorf("logged errors: got %d, want %d\n%s", got, want, &log)
	}
	asAdmin(t, db, "ALTER TABLE away RENAME TO jobs")
	pollOnce(t, l, watched, "after the error", true, false)
	if got, want := strings.Count(log.String(), "the polls for changes succeed again"), 1; got != want {
		t.Errorf("logged recoveries: got %d, want %d\n%s", got, want, &log)
	}
}

// Browsers that connect again leave a moment without watchers.
func TestPoll_without_watchers_does_not_end_an_outage(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	var log bytes.Buffer
	l := newListener(db.root, db.address, "", Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	l.watch(t.Context(), []Topic{JobTopic("j")})
	asAdmin(t, db, "ALTER TABLE jobs RENAME TO away")
	pollOnce(t, l, nil, "while there is no table")
	l.mu.Lock()
	watchers := l.watchers
	l.watchers = nil
	l.mu.Unlock()
	pollOnce(t, l, nil, "without watchers")
	l.mu.Lock()
	l.watchers = watchers
	l.mu.Unlock()
	pollOnce(t, l, nil, "with watchers again")
	if got := strings.Count(log.String(), "\n"); got != 1 {
		t.Errorf("log in the outage: got %d lines, want 1\n%s", got, &log)
	}
	asAdmin(t, db, "ALTER TABLE away RENAME TO jobs")
	pollOnce(t, l, nil, "after the outage")
	if got, want := strings.Count(log.String(), "the polls for changes succeed again"), 1; got != want {
		t.Errorf("logged recoveries: got %d, want %d\n%s", got, want, &log)
	}
}

// TestWatch_finds_a_change_that_was_not_announced polls at short intervals.
func TestWatch_finds_a_change_that_was_not_announced(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, PollInterval: 10 * time.Millisecond, Logger: quiet()})
	user := addUser(t, db)
	job := addJob(t, db, user)
	watched := db.Watch(t.Context(), JobTopic(job.ID))
	receive(t, watched, "the first poll")
	asAdmin(t, db, "UPDATE jobs SET status = 'failed', ended_at = now()")
	for {
		receive(t, watched, "the poll after the change")
		got, err := db.Jobs().Job(t.Context(), job.ID)
		check(t, err)
		if got.Status == model.JobFailed {
			return
		}
	}
}
