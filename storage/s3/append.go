package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portico/model"
	"portico/storage"
)

const (
	// pieceSize is the size in bytes of the parts of an object that arrives in pieces. S3
	// requires at least 5 MiB. One Append holds one part in memory.
	pieceSize = model.UploadPartUnit
	// MaxAppended is the maximum size in bytes of an object that arrives in pieces: 10,000
	// parts ("Amazon S3 multipart upload limits", Amazon S3 User Guide).
	MaxAppended = 10_000 * pieceSize
	// tailFolder holds the tails: bytes that do not fill a part yet.
	tailFolder = ".tails/"
	// tailPart is the metadata of a tail that names the part whose first bytes it has. A tail
	// of an earlier part is stale: the part has its bytes.
	tailPart = "part"
	// tailTimeout is the time to store the last bytes of a client that has left.
	tailTimeout = time.Minute
	// partTimeout is the time to store one part, repeated requests included.
	partTimeout = 5 * time.Minute
)

// multipartState is the state of an object that arrives in pieces, or of a range of it, as the
// bucket has it.
//
// The bytes of an object are the parts of the multipart upload, each of pieceSize, and then the
// tail:
//
//	part 1 | part 2 | ... | part n | tail, less than pieceSize
//
// The parts of an upload in parts are ranges of these S3 parts: each starts after partsBefore S3
// parts, and has its own tail until its last S3 part is full.
type multipartState struct {
	// name is the object's key in the bucket, with the prefix.
	name *string
	// tailName is the key of the tail in the bucket.
	tailName *string
	upload   *string // the id of the multipart upload; nil for none
	// partsBefore is the number of parts of the object before the range.
	partsBefore int
	maxParts    int // of the range; 0 means no limit
	parts       []types.CompletedPart
	size        int64 // bytes of all parts
	tail        int64 // bytes of the tail
}

// next returns the number of the next part in the multipart upload.
func (state *multipartState) next() int { return state.partsBefore + len(state.parts) + 1 }

// Append implements storage.Store. Full parts go to a multipart upload, and the bytes after them to
// a small object, the tail. A crash loses what is in memory, at most one part; Appended then
// returns what the bucket has.
func (s *Store) Append(ctx context.Context, key string, offset int64, r io.Reader) (int64, error) {
	state, err := s.multipartState(ctx, key, model.UploadPart{})
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	if state.size+state.tail != offset {
		return 0, fmt.Errorf("append to %s: %w: %d", key, storage.ErrOffset, state.size+state.tail)
	}
	if state.size%pieceSize != 0 { // Assemble has added the last part
		return 0, nil
	}
	if err := s.startMultipart(ctx, key, state); err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	stored, err := s.appendTo(ctx, state, r)
	if err != nil {
		return stored, fmt.Errorf("append to %s: %w", key, err)
	}
	return stored, nil
}

// appendTo appends the bytes of r and returns how many it has stored, also after an error.
func (s *Store) appendTo(ctx context.Context, state *multipartState, r io.Reader) (int64, error) {
	before := state.size + state.tail
	buffer := s.pieceBuffers.Get().(*[pieceSize]byte)
	err := s.appendParts(ctx, state, storage.NewSource(ctx, r), buffer[:])
	if err == nil { // otherwise net/http may still read the buffer (http.RoundTripper)
		s.pieceBuffers.Put(buffer)
	}
	return max(0, state.size+state.tail-before), err
}

// appendParts uploads full parts until r ends, and stores the rest as the tail, even after an error
// of r, but not after ErrOtherAppend.
func (s *Store) appendParts(ctx context.Context, state *multipartState, r io.Reader, buffer []byte) error {
	n, err := s.readTail(ctx, state, buffer)
	if err != nil {
		return err
	}
	for {
		read, err := io.ReadFull(r, buffer[n:])
		n += read
		if errors.Is(err, storage.ErrOtherAppend) {
			return err
		}
		if err != nil {
			storeErr := s.storeTail(context.WithoutCancel(ctx), state, buffer[:n])
			if err == io.EOF || err == io.ErrUnexpectedEOF { // of io.ReadFull: r has ended
				err = nil
			}
			return errors.Join(err, storeErr)
		}
		if err := s.uploadPart(ctx, state, buffer); err != nil {
			return err
		}
		n = 0
	}
}

// uploadPart uploads the next part, which replaces the tail. It does so even if the client has
// left, because all of the part has arrived.
func (s *Store) uploadPart(ctx context.Context, state *multipartState, content []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partTimeout)
	defer cancel()
	number := aws.Int32(int32(state.next()))
	out, err := s.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &s.bucket, Key: state.name, UploadId: state.upload, PartNumber: number, Body: bytes.NewReader(content),
	})
	if err != nil {
		return storeError(ctx, err)
	}
	state.parts = append(state.parts, types.CompletedPart{PartNumber: number, ETag: out.ETag})
	state.size, state.tail = state.size+int64(len(content)), 0
	return nil
}

// tailName returns the name of the tail of an object, or of a range that starts after the first
// part. All names of an object start with the name of the object.
func (s *Store) tailName(key string, partsBefore int) *string {
	hash := sha256.Sum256([]byte(key))
	name := s.prefix + tailFolder + hex.EncodeToString(hash[:])
	if partsBefore > 0 {
		name += "." + strconv.Itoa(partsBefore)
	}
	return &name
}

// storeTail stores the first bytes of the next part, unless they are stored already. A tail of the
// same size is the same tail: bytes are only appended.
func (s *Store) storeTail(ctx context.Context, state *multipartState, content []byte) error {
	if int64(len(content)) == state.tail {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tailTimeout)
	defer cancel()
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: state.tailName, Body: bytes.NewReader(content),
		Metadata: map[string]string{tailPart: strconv.Itoa(state.next())},
	})
	if err != nil {
		return storeError(ctx, err)
	}
	state.tail = int64(len(content))
	return nil
}

// readTail reads the tail into the buffer and returns its size.
func (s *Store) readTail(ctx context.Context, state *multipartState, buffer []byte) (int, error) {
	if state.tail == 0 {
		return 0, nil
	}
	object, err := s.get(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: state.tailName})
	if err != nil {
		return 0, storeError(ctx, err)
	}
	defer object.Body.Close() //nolint:errcheck // read only
	n, err := io.ReadFull(object.Body, buffer[:state.tail])
	if err != nil {
		return 0, fmt.Errorf("%w: read the tail: %w", storage.ErrUnavailable, err)
	}
	return n, nil
}

// Appended implements storage.Store.
func (s *Store) Appended(ctx context.Context, key string) (int64, error) {
	state, err := s.multipartState(ctx, key, model.UploadPart{})
	if err != nil {
		return 0, fmt.Errorf("size of the pieces of %s: %w", key, err)
	}
	return state.size + state.tail, nil
}

// Assemble implements storage.Store. The tail becomes the last part, which may be small. After a
// crash between the tail and the end, the next call finds no tail, and all bytes in parts. The tail
// is deleted while the multipart upload exists: without the upload, no later call looks for a tail.
func (s *Store) Assemble(ctx context.Context, key string, size int64) error {
	state, err := s.multipartState(ctx, key, model.UploadPart{})
	if err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if state.upload == nil {
		return storage.CheckAssembled(ctx, s, key, size)
	}
	if state.size+state.tail != size {
		return fmt.Errorf("assemble %s of %d bytes: %w: %d", key, size, storage.ErrIncomplete, state.size+state.tail)
	}
	if err := s.flushTail(ctx, state); err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if err := s.deleteTail(ctx, key, state.tailName); err != nil {
		return err
	}
	return s.complete(ctx, key, state, size)
}

// flushTail makes the tail the last part.
func (s *Store) flushTail(ctx context.Context, state *multipartState) error {
	if state.tail == 0 {
		return nil
	}
	content := make([]byte, state.tail)
	if _, err := s.readTail(ctx, state, content); err != nil {
		return err
	}
	return s.uploadPart(ctx, state, content)
}

// complete makes the parts of a multipart upload the object, of size bytes.
func (s *Store) complete(ctx context.Context, key string, state *multipartState, size int64) error {
	_, err := s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &s.bucket, Key: state.name, UploadId: state.upload, MultipartUpload: &types.CompletedMultipartUpload{Parts: state.parts},
	})
	if err != nil {
		// Another call may have completed it, or a response got lost.
		if missing := storage.CheckAssembled(ctx, s, key, size); missing != nil {
			return fmt.Errorf("assemble %s: %w", key, storeError(ctx, err))
		}
	}
	return nil
}

// deleteTail deletes a tail. Deleting a missing tail succeeds.
func (s *Store) deleteTail(ctx context.Context, key string, name *string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: name})
	if err := storeError(ctx, err); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("delete the tail of %s: %w", key, err)
	}
	return nil
}
