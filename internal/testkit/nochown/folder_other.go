//go:build !linux

package nochown

import "testing"

// Folder skips the test: only Linux can mount such a folder.
func Folder(t testing.TB) string {
	t.Helper()
	t.Skip("needs Linux")
	return ""
}
