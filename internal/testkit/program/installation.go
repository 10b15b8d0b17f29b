package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Installation is a program and the settings that all its processes share.
type Installation struct {
	// Program is the path of the binary, such as Build returns.
	Program string
	// Settings are variables, NAME=VALUE. A later value of a name overrides an earlier one.
	Settings []string
}

// Command returns a command of the program that was not started. Its environment has the settings
// of the installation and then these settings, but none of the developer's settings.
func (i Installation) Command(settings []string, args ...string) *exec.Cmd {
	cmd := exec.Command(i.Program, args...) //nolint:noctx // callers stop it cleanly, or kill it
	cmd.Env = append(append(environment(), i.Settings...), settings...)
	return cmd
}

// environment returns the environment of this process without the variables that
// configure Portico, its tracing and its object storage.
func environment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PORTICO_") && !strings.HasPrefix(variable, "OTEL_") && !strings.HasPrefix(variable, "AWS_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// User is an account that AddUser has created.
type User struct {
	ID     string `json:"id"`
	APIKey string `json:"api_key"`
}

// AddUser creates an account with the command "user add". It also works while servers run. It
// returns an error if the command prints anything to standard error.
func (i Installation) AddUser(ctx context.Context, email string, flags ...string) (User, error) {
	cmd := i.Command(nil, append([]string{"user", "add", email}, flags...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return User{}, fmt.Errorf("add user %s: %w", email, err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })() // it may have ended
	if err := cmd.Wait(); err != nil {
		return User{}, fmt.Errorf("add user %s: %w\n%s", email, err, stderr.String())
	}
	if stderr.Len() > 0 {
		return User{}, fmt.Errorf("add user %s: standard error has %s", email, stderr.String())
	}
	var user User
	if err := json.Unmarshal(stdout.Bytes(), &user); err != nil || user.APIKey == "" {
		return User{}, fmt.Errorf("add user %s: no key in the output %q (%w)", email, stdout.String(), err)
	}
	return user, nil
}
