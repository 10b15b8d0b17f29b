// Package s3 gives tests an S3 server of their own: versitygw, over a folder.
// It is for tests only, in any package.
package s3
