// Package storage has the interface of the store for the bytes of files: uploads and the results of
// jobs. Package server opens one of its two implementations, storage/disk or storage/s3; graph,
// graph/export, worker and worker/child use it. A store knows keys and bytes, but no users, quotas
// or jobs. Both implementations pass the test suite of storage/storagetest, and share storage/door
// for their addresses.
//
// The interface requires no more than S3 offers: a presigned PUT, a stat, a ranged read, a whole
// write from a reader, uploads in pieces (multipart uploads in S3), a listing and deletions. There
// is neither rename nor copy: an object keeps the key for which its upload address was issued.
package storage
