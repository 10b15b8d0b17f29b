// Package storage keeps the bytes of files: uploads, and what jobs make of
// them. Store is the one interface, and every implementation passes the suite
// in conformance_test.go. Packages graph and worker use it; it knows nothing
// of users, quotas or jobs, only of keys and bytes.
//
// The interface asks for no more than S3 can do: a presigned PUT, a stat, a
// ranged read, a whole write from a reader, a listing and deletions. There is
// no rename, no copy and no append: the key an upload is promised under is the
// key it is served from for ever.
//
// Disk keeps objects in a folder and is also the HTTP handler that receives
// the presigned PUTs and serves the public addresses. It needs a file system
// with hard links and a truthful fsync. Several processes may share a folder;
// on a network file system they need flock to work across machines.
package storage
