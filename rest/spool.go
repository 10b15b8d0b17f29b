package rest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"portico/graph/view"
	"portico/internal/semaphore"
	"portico/model"
)

const (
	// maxChangeSet is the maximum size of a change set or an archive in bytes. An asset of
	// model.MaxAsset bytes in base64 fits into it.
	maxChangeSet = 36 << 20
	// maxLargeBodies is the maximum number of bodies over largeBody bytes in memory at the same time,
	// each of which takes about four times its size. The size of an archive is its unpacked size. A
	// body that is not complete, or waits, is on disk. An account has at most one large body in
	// memory, so that no account alone makes the others wait. Smaller bodies do not wait.
	//
	// A body is counted until it was applied, even while the uploads that it names are hashed: what
	// was decoded from it stays in memory. It is not counted while the client reads the response.
	maxLargeBodies = 2
	largeBody      = 1 << 20
	// maxWaitingBodies is the maximum number of complete large bodies of an account that wait for the
	// memory. They are on disk, where the budget of incomplete bodies does not count them.
	maxWaitingBodies = 2
	// maxMemoryWait is how long a complete large body waits for the memory. A change set takes a
	// second or two. A longer wait means that other requests hang, for example because the store does
	// not answer. Without a limit, two such requests would stop the large change sets of all
	// accounts, and many clients would hold a connection and a file.
	maxMemoryWait = 30 * time.Second
	// waitingRetryAfter is how long a client should wait that has too many waiting bodies, or whose
	// body has waited for too long. It is a guess: a change set takes a second or two.
	waitingRetryAfter = 5 * time.Second
)

// newLargeBodies returns the places in memory.
func newLargeBodies() semaphore.Room {
	return semaphore.Room{Size: maxLargeBodies, Share: 1, MaxWaiting: maxWaitingBodies}
}

// SpoolsBody reports whether this door stores the body of a request on disk until it is complete.
// Such a body takes no memory while it is received.
func SpoolsBody(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/api")
	return r.Method == http.MethodPost && strings.HasPrefix(path, "/v1/spaces/") &&
		(strings.HasSuffix(path, "/changeset") || strings.HasSuffix(path, "/apply"))
}

// spool is a request body on disk. The bytes are in a file without a name. Closing it frees the
// disk.
type spool struct {
	view.TempFile
	size int64
	// place is the place in memory; nil if the body has none.
	place *semaphore.Place
}

// spoolBody stores a request body on disk, and returns it when it is complete and may be read into
// memory (maxLargeBodies). The caller must close it.
//
// A client that sends slowly holds a file, and none of the slots for memory: these are acquired
// when the body is complete.
func (a *api) spoolBody(w http.ResponseWriter, r *http.Request) (_ *spool, err error) {
	defer func() { a.logFullDisk(err) }()
	file, err := view.NewTempFile(a.tempFolder, "portico-body-*")
	if err != nil {
		return nil, err
	}
	s := &spool{TempFile: file}
	if s.size, err = view.CopyBody(w, r, file, maxChangeSet); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := a.acquireMemory(r.Context(), s, s.size); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// logFullDisk logs the refusal of a body that the disk has no room for. The doors log internal
// errors only, and only the operator can make room.
func (a *api) logFullDisk(err error) {
	if model.CodeOf(err) == model.CodeQuotaExceeded {
		a.log.Error("the disk of change sets is full", "folder", cmp.Or(a.tempFolder, os.TempDir()))
	}
}

// acquireMemory waits until size bytes of the body may be in memory (maxLargeBodies). A body has
// one slot at most. It refuses the body if maxWaitingBodies of the account wait already, and after
// maxMemoryWait.
func (a *api) acquireMemory(ctx context.Context, s *spool, size int64) error {
	if size <= largeBody || s.place != nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, maxMemoryWait)
	defer cancel()
	place, err := a.largeBodies.Wait(waiting, accountOf(ctx), 1, nil)
	s.place = place
	return waitRefusal(ctx, err, "Too many large change sets at the same time")
}

// accountOf returns the account of a request; "" for none.
func accountOf(ctx context.Context) string {
	if caller := model.CallerFrom(ctx); caller != nil {
		return caller.UserID
	}
	return ""
}

// waitRefusal returns the refusal of a request that could not wait longer for its turn, and any
// other error as it is. ctx is the context of the request, which has no deadline.
func waitRefusal(ctx context.Context, err error, message string) error {
	if ctx.Err() == nil && (errors.Is(err, semaphore.ErrTooManyWaiting) || errors.Is(err, context.DeadlineExceeded)) {
		return &model.Error{Code: model.CodeRateLimited, Message: message, RetryAfter: waitingRetryAfter}
	}
	return err
}

// text returns the whole body, which must be UTF-8.
func (s *spool) text() ([]byte, error) {
	body := make([]byte, s.size)
	if _, err := s.ReadAt(body, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return body, view.CheckText(body)
}

// Close deletes the body. A second call does nothing.
func (s *spool) Close() error {
	if s.place != nil {
		s.place.Leave()
	}
	if err := s.File.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
