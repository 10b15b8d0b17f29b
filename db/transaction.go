package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// errUnknownCommit is part of the error of a commit that may have taken effect.
var errUnknownCommit = errors.New("the answer to the commit was lost")

// MayBeCommitted reports whether err is the error of a transaction that may be committed: its commit
// was sent, and Postgres has not answered.
func MayBeCommitted(err error) bool { return errors.Is(err, errUnknownCommit) }

// InTx runs fn in a transaction and commits it if fn returns nil. Topics announced in fn
// are sent after the commit. A panic rolls back. Inside a transaction, InTx joins it:
// only the outermost InTx commits.
//
// fn may run only once: there is no retry. A commit whose answer is lost is reported as an error,
// although it may have taken effect. Its topics are sent, because nothing else would store when its
// spaces changed. A move of a row between two states can be repeated safely. Callers that add rows
// may add them twice. Before a caller undoes work that the rows refer to, it checks MayBeCommitted.
func (db *DB) InTx(ctx context.Context, fn func(tx *DB) error) error {
	if db.topics != nil {
		return fn(db)
	}
	db.prepared.prepareMissed(ctx) // now, because a transaction with a connection must not wait for another
	var topics []Topic
	var touched, grown []string
	var skipped []skippedEntity
	committing := false
	err := db.root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		inner := *db
		inner.idb, inner.topics, inner.touched, inner.grown, inner.skipped = tx, &topics, &touched, &grown, &skipped
		inner.ownStatements = map[string]*sql.Stmt{}
		err := fn(&inner)
		committing = err == nil
		return err
	})
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // the end of ctx rolled the transaction back just before the commit
	}
	isUnknown := err != nil && committing && !isContextError(err) && !isAnswer(err)
	if err != nil && !isUnknown {
		return translate(err)
	}
	for _, id := range touched {
		db.announceChange(id)
	}
	db.Announce(topics...)
	if isUnknown {
		return fmt.Errorf("%w: %w", errUnknownCommit, translate(err))
	}
	if len(grown) > 0 {
		if err := db.trimHistories(ctx, grown); err != nil && ctx.Err() == nil {
			db.log.Warn("remove old versions of full accounts", "error", err) // the transaction is committed
		}
	}
	// A client that does not wait for the answer is no reason to miss an announcement.
	if err := db.markSkipped(context.WithoutCancel(ctx), skipped); err != nil {
		db.log.Warn("announce a changed file", "error", err) // the transaction is committed
	}
	return nil
}

// isContextError reports whether err is the end of a context. The driver sends a commit without the
// context of the transaction, so a commit with this error was not sent.
func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
