// Package export writes everything of an account as one zip archive: profile, follows,
// notifications, security events, files, and spaces as files with their histories. It has no
// keys, password hashes or other secrets. Its callers have checked who asks.
package export
