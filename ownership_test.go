package portico_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Ownership is decided in one file: no other resolver compares the ids of accounts.
func TestOwnership_is_decided_in_one_file(t *testing.T) {
	t.Parallel()
	const comparison = `\b(user|User|owner|Owner)ID (==|!=) [^"n]|(==|!=) [a-zA-Z.]*((user|User|owner|Owner)ID|ownerOf)\b`
	out, err := exec.Command("grep", "-rlE", comparison, "graph",
		"--include=*.go", "--exclude=*_test.go", "--exclude=generated.go").Output()
	if err != nil {
		t.Fatalf("look for comparisons of accounts: %v", err)
	}
	if got := strings.TrimSpace(string(out)); got != "graph/access.go" {
		t.Errorf("accounts are compared in %q, want graph/access.go only", got)
	}
}
