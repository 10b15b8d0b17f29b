package graph

import (
	"context"
	"io"
	"log/slog"
	"time"

	"portico/internal/semaphore"
	"portico/model"
	"portico/storage"
)

// What the tests in package graph_test see of the inside.

const (
	DiscardTimeout     = discardTimeout
	FirstFilesRetry    = firstFilesRetry
	MaxScans           = maxScans
	MaxScreenshotBytes = maxScreenshotBytes
	MaxShownAccounts   = maxShownAccounts
	MaxShownAge        = maxShownAge
	MaxWaitingPictures = maxWaitingPictures
	MinShownAge        = minShownAge
)

var (
	ErrContentSize    = errContentSize
	LockEditableSpace = lockEditableSpace
	SpaceFilesOf      = spaceFiles
)

// PictureMemory returns the bytes that decoding a picture takes, and whether it is a large one.
func PictureMemory(sent []byte) (bytes int, isLarge bool, err error) {
	header, err := headerOf(sent)
	return header.memory, header.isLarge(), err
}

// NewPictures returns a resolver that only shrinks pictures.
func NewPictures(maxWaiting int) (r *Resolver, slots, large *semaphore.Room) {
	r = &Resolver{pictureSlots: semaphore.Room{Size: 1}, largePictures: semaphore.Room{Size: 1, MaxWaiting: maxWaiting}}
	return r, &r.pictureSlots, &r.largePictures
}

func (r *Resolver) ShrunkPicture(ctx context.Context, userID string, sent []byte) ([]byte, error) {
	return r.shrunkPicture(ctx, userID, sent)
}

// NewFirstFiles returns a resolver that only finds first files.
func NewFirstFiles(store storage.Store, logger *slog.Logger) *Resolver {
	return &Resolver{store: store, logger: logger}
}

func (r *Resolver) ResumableURL(id string) string { return r.resumableURL(id) }

func (r *Resolver) ScreenshotAt(ctx context.Context, key string) *Screenshot {
	return r.screenshot(ctx, key, 1, 1)
}

func (r *Resolver) PutUnlessGate(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	return r.putUnlessGate(ctx, in, file)
}

func (r *Resolver) PutAfterGate(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	return r.putAfterGate(ctx, in, nil)
}

func (r *Resolver) AddOr(ctx context.Context, entity *model.Entity, taken func() (*model.CreatedEntity, error)) (*model.CreatedEntity, error) {
	return r.addOr(ctx, entity, taken)
}

func (r *Resolver) AcquireLease(ctx context.Context, u ReceivingUpload, writer string) (bool, error) {
	return r.acquireLease(ctx, u, writer)
}

// UploadLease is the lease of the first writer.
type UploadLease struct{ *uploadLease }

func (r *Resolver) Lease(ctx context.Context, u ReceivingUpload, content io.Reader) UploadLease {
	return UploadLease{&uploadLease{resolver: r, upload: u, writer: "first", ctx: ctx, content: content}}
}

func (l UploadLease) Acquire() error { return l.acquire() }

func (l UploadLease) Release() bool { return l.release() }

func (l UploadLease) RenewForStore() { l.renewForStore() }

// Age makes the lease one that was renewed a long time ago.
func (l UploadLease) Age() { l.renewed = time.Time{} }

func (l UploadLease) SetReading(reading bool) { l.reading.Store(reading) }

// PublicSpacesOf returns a page of the Public spaces of an account.
func (r *Resolver) PublicSpacesOf(ctx context.Context, userID string, args model.Pager) (*model.SpaceConnection, error) {
	return r.publicSpacesOf(ctx, userID, args)
}

// ShownBy is what the cache knows of an account.
type ShownBy = *shownBy

func (s *ShownFiles) Account(userID string) ShownBy { return s.account(userID) }

func (s *ShownFiles) Accounts() int { return len(s.accounts) }

func (s *ShownFiles) Load(ctx context.Context, account ShownBy) { s.load(ctx, account) }

func (s *ShownFiles) TakeTurn(ctx context.Context, userID string) (*semaphore.Place, error) {
	s.once.Do(func() { s.turns.Share = 1 })
	return s.turns.Wait(ctx, userID, 1, nil)
}

func (b *shownBy) Until() time.Time { return b.until }

func (b *shownBy) SetUntil(until time.Time) { b.until = until }
