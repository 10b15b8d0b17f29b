package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"portico/model"
	"portico/storage"
)

// All parts of an object are sent to one multipart upload. The offset of a part decides the numbers
// of its S3 parts, so that AssembleParts copies nothing. Each part has its own tail.

// StartParts implements storage.Store. The multipart upload is created here: two parts that start
// at the same time would each create one.
func (s *Store) StartParts(ctx context.Context, key string) error {
	state, err := s.multipartState(ctx, key, model.UploadPart{})
	if err == nil {
		err = s.startMultipart(ctx, key, state)
	}
	if err != nil {
		return fmt.Errorf("start the parts of %s: %w", key, err)
	}
	return nil
}

// AppendPart implements storage.Store.
func (s *Store) AppendPart(ctx context.Context, key string, part model.UploadPart, offset int64, r io.Reader) (int64, error) {
	state, err := s.multipartState(ctx, key, part)
	switch {
	case err == nil && state.upload == nil:
		err = storage.ErrNotFound // it was assembled or deleted
	case err == nil && state.size+state.tail != offset:
		err = fmt.Errorf("%w: %d", storage.ErrOffset, state.size+state.tail)
	}
	if err != nil {
		return 0, fmt.Errorf("append to a part of %s: %w", key, err)
	}
	if offset == part.Size {
		return 0, nil
	}
	stored, err := s.appendTo(ctx, state, io.LimitReader(r, part.Size-offset))
	if err != nil {
		return stored, fmt.Errorf("append to a part of %s: %w", key, err)
	}
	return stored, nil
}

// PutPart implements storage.Store. All of its pieces become S3 parts at once, also a short last one,
// so no tail of an earlier attempt can follow them. A piece that is sent again replaces the S3 part.
func (s *Store) PutPart(ctx context.Context, key string, part model.UploadPart, r io.Reader) error {
	state, err := s.multipartState(ctx, key, part)
	if err == nil && state.upload == nil {
		err = storage.ErrNotFound // it was assembled or deleted
	}
	if err == nil {
		state.parts, state.size, state.tail = nil, 0, 0
		err = s.putPieces(ctx, state, part.Size, storage.NewSource(ctx, r))
	}
	if err != nil {
		return fmt.Errorf("store a part of %s: %w", key, err)
	}
	return nil
}

// putPieces uploads size bytes of r as S3 parts, the first of which is the next one of the state.
func (s *Store) putPieces(ctx context.Context, state *multipartState, size int64, r io.Reader) error {
	buffer := s.pieceBuffers.Get().(*[pieceSize]byte)
	for state.size < size {
		piece := buffer[:min(pieceSize, size-state.size)]
		n, err := io.ReadFull(r, piece)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: %d of %d bytes", storage.ErrIncomplete, state.size+int64(n), size)
		}
		if err == nil {
			err = s.uploadPart(ctx, state, piece)
		}
		if err != nil {
			return err // net/http may still read the buffer (http.RoundTripper)
		}
	}
	s.pieceBuffers.Put(buffer)
	return nil
}

// AppendedPart implements storage.Store.
func (s *Store) AppendedPart(ctx context.Context, key string, part model.UploadPart) (int64, error) {
	state, err := s.multipartState(ctx, key, part)
	if err != nil {
		return 0, fmt.Errorf("size of a part of %s: %w", key, err)
	}
	return state.size + state.tail, nil
}

// AssembleParts implements storage.Store. Only the last part may have a tail: the others are whole
// units. The bucket may still have their stale tails. As in Assemble, all tails are deleted while
// the multipart upload exists.
func (s *Store) AssembleParts(ctx context.Context, key string, parts []model.UploadPart) error {
	last := parts[len(parts)-1]
	size := last.Offset + last.Size
	end, err := s.multipartState(ctx, key, last)
	if err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if end.upload == nil {
		return storage.CheckAssembled(ctx, s, key, size)
	}
	if end.size+end.tail != last.Size {
		return fmt.Errorf("assemble %s: %w: part %d has %d of %d bytes", key, storage.ErrIncomplete, last.Number, end.size+end.tail, last.Size)
	}
	if err := s.flushTail(ctx, end); err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	all, err := s.multipartState(ctx, key, model.UploadPart{})
	if err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if all.size != size {
		return fmt.Errorf("assemble %s of %d bytes: %w: %d", key, size, storage.ErrIncomplete, all.size)
	}
	if err := s.deleteTails(ctx, key); err != nil {
		return err
	}
	return s.complete(ctx, key, all, size)
}
