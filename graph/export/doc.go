// Package export writes all data of an account as one zip archive: profile, follows, notifications,
// security events, files, and spaces as files with their histories. The archive has no keys,
// password hashes or other secrets. The package checks no rights: package server and the command
// line have done so before they call it.
package export
