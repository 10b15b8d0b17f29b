// Package storage stores the bytes of files: uploads and the results of jobs. Package server
// opens the store; graph, graph/export, worker and worker/child use it. It knows keys and bytes,
// but no users, quotas or jobs. Every implementation of Store passes the test suite in
// conformance_test.go.
//
// The interface requires no more than S3 offers: a presigned PUT, a stat, a ranged read, a whole
// write from a reader, uploads in pieces (multipart uploads in S3), a listing and deletions. There
// is neither rename nor copy: an object keeps the key for which its upload address was issued.
//
// S3 keeps objects in a bucket of a server with the S3 API, and has no state of its own.
//
// Disk keeps objects in a folder. It is also the HTTP handler that receives the presigned
// PUTs and serves the public addresses. It needs a file system with hard links and a
// reliable fsync. Several processes may share a folder; on a network file system flock
// must work across machines.
package storage
