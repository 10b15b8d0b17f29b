//go:build linux && !amd64 && !arm64

package sandbox

// restrictCalls refuses: there is no list of calls for this architecture.
func restrictCalls() error { return errUnsupported }
