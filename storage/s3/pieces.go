package s3

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portico/model"
	"portico/storage"
)

// multipartState reads the state of an object that arrives in pieces, or of a range of it; the zero
// range is all of it. It is read each time, so that any process can continue, and a restart loses
// nothing.
func (s *Store) multipartState(ctx context.Context, key string, part model.UploadPart) (*multipartState, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return nil, err
	}
	state := &multipartState{name: name, partsBefore: int(part.Offset / pieceSize), maxParts: int((part.Size + pieceSize - 1) / pieceSize)}
	state.tailName = s.tailName(key, state.partsBefore)
	for id, err := range s.multipartUploads(ctx, *name) {
		if err != nil {
			return nil, err
		}
		// Two processes may have started one at the same time; all use the smallest id.
		if state.upload == nil || *id < *state.upload {
			state.upload = id
		}
	}
	if state.upload == nil {
		return state, nil
	}
	if err := s.readParts(ctx, state); err != nil {
		return nil, err
	}
	return state, s.statTail(ctx, state)
}

// multipartUploads yields the ids of the multipart uploads of one object. S3 lists by prefix, so
// uploads of longer keys are skipped.
func (s *Store) multipartUploads(ctx context.Context, name string) iter.Seq2[*string, error] {
	return func(yield func(*string, error) bool) {
		pages := s3.NewListMultipartUploadsPaginator(s.client, &s3.ListMultipartUploadsInput{Bucket: &s.bucket, Prefix: &name})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(nil, storeError(ctx, err))
				return
			}
			for _, upload := range page.Uploads {
				if aws.ToString(upload.Key) == name && upload.UploadId != nil && !yield(upload.UploadId, nil) {
					return
				}
			}
		}
	}
}

// readParts reads the parts of the range from the first one to the first gap.
func (s *Store) readParts(ctx context.Context, state *multipartState) error {
	// The marker is the number of the part before the first one that is listed.
	from := aws.String(strconv.Itoa(state.partsBefore))
	pages := s3.NewListPartsPaginator(s.client, &s3.ListPartsInput{Bucket: &s.bucket, Key: state.name, UploadId: state.upload, PartNumberMarker: from})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return storeError(ctx, err)
		}
		for _, part := range page.Parts {
			if int(aws.ToInt32(part.PartNumber)) != state.next() || state.maxParts > 0 && len(state.parts) == state.maxParts {
				return nil
			}
			state.parts = append(state.parts, types.CompletedPart{PartNumber: part.PartNumber, ETag: part.ETag})
			state.size += aws.ToInt64(part.Size)
		}
	}
	return nil
}

// statTail sets the size of the tail, which is 0 for a stale one.
func (s *Store) statTail(ctx context.Context, state *multipartState) error {
	tail, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: state.tailName})
	if err := storeError(ctx, err); err != nil {
		if errors.Is(err, storage.ErrNotFound) {
			return nil
		}
		return err
	}
	if tail.Metadata[tailPart] == strconv.Itoa(state.next()) {
		state.tail = aws.ToInt64(tail.ContentLength)
	}
	return nil
}

// startMultipart creates the multipart upload if there is none.
func (s *Store) startMultipart(ctx context.Context, key string, state *multipartState) error {
	if state.upload != nil {
		return nil
	}
	out, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &s.bucket, Key: state.name, ContentType: s.servedType(key),
	})
	if err != nil {
		return storeError(ctx, err)
	}
	state.upload = out.UploadId
	return nil
}

// abort removes what Append has stored of an object. It aborts all multipart uploads of the key,
// also those that lost the race in multipartState. The tails are deleted even if there is no
// multipart upload: an Append that runs while another call deletes the object stores its tail
// afterwards.
func (s *Store) abort(ctx context.Context, key string, name *string) error {
	for id, err := range s.multipartUploads(ctx, *name) {
		if err != nil {
			return err
		}
		_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &s.bucket, Key: name, UploadId: id})
		if err := storeError(ctx, err); err != nil && !isGone(err) {
			return err
		}
	}
	return s.deleteTails(ctx, key)
}

// deleteTails deletes the tails of an object and of its parts.
func (s *Store) deleteTails(ctx context.Context, key string) error {
	prefix := s.tailName(key, 0)
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return storeError(ctx, err)
		}
		for _, tail := range page.Contents {
			if err := s.deleteTail(ctx, key, tail.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// isGone reports whether a multipart upload was completed or aborted by another request.
func isGone(err error) bool {
	_, ok := errors.AsType[*types.NoSuchUpload](err)
	return ok || errors.Is(err, storage.ErrNotFound)
}
