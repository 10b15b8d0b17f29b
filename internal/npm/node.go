package npm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// Node returns the path of a Node of at least this major version. The error says
// that there is none, or that it is too old.
func Node(ctx context.Context, oldest int) (path string, err error) {
	path, err = exec.LookPath("node")
	if err != nil {
		return "", errors.New("node is not installed")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("node --version: %w", err)
	}
	var major int
	if _, err := fmt.Sscanf(string(out), "v%d.", &major); err != nil {
		return "", fmt.Errorf("node --version: %q is no version", out)
	}
	if major < oldest {
		return "", fmt.Errorf("node is of version %d, older than %d", major, oldest)
	}
	return path, nil
}
