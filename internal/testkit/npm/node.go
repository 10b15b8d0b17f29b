package npm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// Node returns the path of the installed Node. It returns an error if Node is not
// installed or its major version is lower than minMajor.
func Node(ctx context.Context, minMajor int) (path string, err error) {
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
		return "", fmt.Errorf("node --version: %q is not a version", out)
	}
	if major < minMajor {
		return "", fmt.Errorf("node has version %d, older than %d", major, minMajor)
	}
	return path, nil
}
