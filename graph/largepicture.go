package graph

import (
	"context"
	"errors"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

// The limits of work that takes much memory, or reads much from the disk, at the same time.
const (
	maxConcurrentChanges  = 8
	maxConcurrentPictures = 8
	// maxWaitingPictures is the maximum number of large pictures of an account that wait for another
	// one. The limit bounds the memory that they take.
	maxWaitingPictures = 2
	// maxHashing is the maximum number of uploaded files that are hashed at the same time, one of an
	// account, and maxWaitingHashes how many more change sets of an account may wait for that.
	maxHashing       = 2
	maxWaitingHashes = 4
	// turnRetryAfter is how long a client should wait that has too many callers waiting. It is a guess:
	// decoding a large picture takes less than a second, and hashing a large file some seconds.
	turnRetryAfter = 5 * time.Second
)

// waitForTurn waits for the turn of the account in a room with one place for a caller, and returns
// CodeRateLimited with the message if too many of the account wait already.
func waitForTurn(ctx context.Context, room *semaphore.Room, userID, message string) (*semaphore.Place, error) {
	turn, err := room.Wait(ctx, userID, 1, nil)
	if errors.Is(err, semaphore.ErrTooManyWaiting) {
		err = &model.Error{Code: model.CodeRateLimited, Message: message, RetryAfter: turnRetryAfter}
	}
	return turn, err
}
