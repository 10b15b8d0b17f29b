// Package s3 gives each test its own S3 server: versitygw, which stores objects in a folder. Only
// tests may import it.
package s3
