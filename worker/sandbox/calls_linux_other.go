//go:build linux && !amd64 && !arm64

package sandbox

import "errors"

// restrictCalls refuses: there is no list of calls for this architecture.
func restrictCalls() error { return errors.ErrUnsupported }
