package graph

import (
	"context"
	"errors"
	"sync"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

const (
	// maxWaitingPictures is the maximum number of large pictures of an account that wait for another
	// one of the account. The limit bounds the memory that they take.
	maxWaitingPictures = 2
	// pictureRetryAfter is how long a client should wait that has too many waiting pictures. It is a
	// guess: decoding a large picture takes less than a second.
	pictureRetryAfter = 5 * time.Second
)

// largePictureTurns lets one large picture at a time be decoded. The zero value is ready.
//
// The accounts take turns: each account has at most one picture in the common queue, so that no
// account alone makes the others wait.
type largePictureTurns struct {
	once         sync.Once // sets the limit of accountTurns
	accountTurns semaphore.Turns
	commonTurns  semaphore.Turns // has one key
}

// wait waits for the turn of a picture of the account, and returns the function that ends it. It
// returns CodeRateLimited if maxWaitingPictures of the account wait already.
func (t *largePictureTurns) wait(ctx context.Context, userID string) (end func(), err error) {
	t.once.Do(func() { t.accountTurns.MaxWaiting = maxWaitingPictures })
	endOwn, err := t.accountTurns.Wait(ctx, userID)
	if errors.Is(err, semaphore.ErrTooManyWaiting) {
		return nil, &model.Error{
			Code: model.CodeRateLimited, Message: "Too many large pictures at the same time", RetryAfter: pictureRetryAfter,
		}
	}
	if err != nil {
		return nil, err
	}
	endTurn, err := t.commonTurns.Wait(ctx, "")
	if err != nil {
		endOwn()
		return nil, err
	}
	return func() {
		endTurn()
		endOwn()
	}, nil
}
