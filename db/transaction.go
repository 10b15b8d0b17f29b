package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"portico/db/dial"
	"portico/model"
)

// errUnknownCommit is part of the error of a commit that may have taken effect.
var errUnknownCommit = errors.New("the response to the commit was lost")

// MayBeCommitted reports whether err is the error of a transaction that may be committed: its
// commit was sent, and Postgres has not answered.
func MayBeCommitted(err error) bool { return errors.Is(err, errUnknownCommit) }

// InTx runs fn in a transaction and commits it if fn returns nil. Topics announced in fn
// are sent after the commit. A panic rolls back. Inside a transaction, InTx joins it:
// only the outermost InTx commits.
//
// fn may run only once: there is no retry. A commit whose response is lost is reported as an error,
// although it may have taken effect. Its topics are sent, because nothing else would store when its
// spaces changed. The entities that it skipped are left to MarkSkippedEntities. A move of a row
// between two states can be repeated safely. Callers that add rows may add them twice. Before a
// caller undoes work that the rows refer to, it checks MayBeCommitted.
func (db *DB) InTx(ctx context.Context, fn func(tx *DB) error) error {
	if db.afterCommit != nil {
		return fn(db)
	}
	db.prepared.prepareMissed(ctx) // now, because a transaction with a connection must not wait for another
	after, committing := &afterCommit{}, false
	err := db.root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		inner := *db
		inner.idb, inner.afterCommit, inner.ownStatements = tx, after, map[string]*sql.Stmt{}
		err := fn(&inner)
		committing = err == nil
		return err
	})
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // the end of ctx rolled the transaction back just before the commit
	}
	mayBeCommitted := err != nil && committing && !isContextError(err) && !dial.IsResponse(err)
	if err != nil && !mayBeCommitted {
		return translate(err)
	}
	after.announce(db)
	if mayBeCommitted {
		return fmt.Errorf("%w: %w", errUnknownCommit, translate(err))
	}
	after.finish(ctx, db)
	return nil
}

// afterCommit is what a transaction leaves to do after its commit.
type afterCommit struct {
	topics        []Topic  // that the transaction has announced
	changedSpaces []string // the ids of spaces whose entities changed
	grownAccounts []string // the ids of accounts with new versions
	// skippedEntities are the ids in skipped_entities of the entities that announceFile could not
	// lock.
	skippedEntities []int64
}

func (a *afterCommit) announce(db *DB) {
	for _, id := range a.changedSpaces {
		db.announceChange(id)
	}
	db.Announce(a.topics...)
}

// finish writes what the transaction could not write itself. The transaction is committed, so an
// error is logged and not returned.
func (a *afterCommit) finish(ctx context.Context, db *DB) {
	if len(a.grownAccounts) > 0 {
		if err := db.History().trimHistories(ctx, a.grownAccounts); err != nil && ctx.Err() == nil {
			db.log.Warn("remove old versions of full accounts", "error", err)
		}
	}
	// Even if the client does not wait for the response, the change must be announced at once. What
	// is not marked here is marked by the next purge.
	if err := db.Watched().markSkipped(context.WithoutCancel(ctx), a.skippedEntities); err != nil {
		db.log.Warn("announce a changed file", "error", err)
	}
}

// isContextError reports whether err is the end of a context. The driver sends a commit without the
// context of the transaction, so a commit with this error was not sent.
func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// maxLockAttempts is the maximum number of times that lockInOrder calls its function. People add
// rows so rarely that the second call succeeds. Only a program that adds spaces all the time may
// reach the maximum.
const maxLockAttempts = 20

// errRowAdded says that a row was added before the last lock, so lockInOrder tries again.
var errRowAdded = errors.New("a row was added before the last lock")

// lockInOrder calls lock, which takes the locks of a transaction in the order of this package,
// until it reports that they are complete.
//
// Another transaction may add a row of the first kind before the last lock is taken. To lock that
// row then would break the order. So a savepoint undoes what lock has locked and written, and lock
// runs again. It returns CodeConflict if rows were added in each of maxLockAttempts calls.
func (db *DB) lockInOrder(ctx context.Context, lock func(tx *DB) (complete bool, err error)) error {
	for range maxLockAttempts {
		err := db.idb.RunInTx(ctx, nil, func(_ context.Context, savepoint bun.Tx) error {
			tx := *db
			tx.idb = savepoint
			complete, err := lock(&tx)
			if err == nil && !complete {
				err = errRowAdded
			}
			return err
		})
		if !errors.Is(err, errRowAdded) {
			return translate(err)
		}
	}
	return &model.Error{Code: model.CodeConflict, Message: "A program keeps adding spaces. Stop it and try again"}
}
