package programtest

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/internal/testkit/program"
)

// exitTimeout limits the wait for the end of a process.
const exitTimeout = 60 * time.Second

// Process is a process of the program that runs for a test. The methods without a context use the
// test's, and fail the test after an error.
type Process struct {
	*program.Process
	T            testing.TB
	installation program.Installation
	// URL is the base URL of a server. Serve sets it.
	URL string
}

// Start starts a command of the program with the settings of the installation and additional
// settings. The process is stopped when the test ends. If the test failed, its log is printed.
func Start(t testing.TB, i program.Installation, settings []string, args ...string) *Process {
	t.Helper()
	if testing.Short() {
		t.Skip("processes of the program take too long for a short run")
	}
	started, err := program.Start(i.Command(settings, args...), nil)
	check(t, err)
	p := &Process{Process: started, T: t, installation: i}
	t.Cleanup(func() {
		p.Cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // most processes have ended
		p.Wait()
		if t.Failed() {
			t.Logf("log of the program:\n%s", strings.Join(p.Log(), "\n"))
		}
	})
	return p
}

// Serve starts a server and returns when it accepts requests.
func Serve(t testing.TB, i program.Installation, settings ...string) *Process {
	t.Helper()
	p := Start(t, i, settings, "serve")
	p.AwaitServing()
	return p
}

// AwaitServing waits until the server serves, and sets URL.
func (p *Process) AwaitServing() {
	p.T.Helper()
	p.URL = p.Logged("serving")["url"].(string)
}

// Logged waits until the process has logged the message, and returns its attributes.
func (p *Process) Logged(message string) map[string]any {
	p.T.Helper()
	return p.LoggedWhere(message, "msg", message)
}

// LoggedWhere waits until the process has logged the message with an attribute of this
// value, and returns all attributes.
func (p *Process) LoggedWhere(message, attribute string, value any) map[string]any {
	p.T.Helper()
	attributes, err := p.Process.LoggedWhere(p.T.Context(), message, attribute, value)
	check(p.T, err)
	return attributes
}

// Signal sends a signal to the process.
func (p *Process) Signal(s syscall.Signal) {
	p.T.Helper()
	check(p.T, p.Cmd.Process.Signal(s))
}

// Wait waits for the end of the process and returns its exit code, -1 after a signal.
func (p *Process) Wait() int {
	p.T.Helper()
	code, err := p.Process.Wait(exitTimeout)
	if err != nil {
		p.T.Error(err)
	}
	return code
}

// Stop stops the process with SIGTERM, like a supervisor. The exit code must be 0.
func (p *Process) Stop() {
	p.T.Helper()
	check(p.T, p.Process.Stop(exitTimeout))
}

// CheckJSON checks that every line of the log is JSON.
func (p *Process) CheckJSON() {
	p.T.Helper()
	for _, line := range p.Log() {
		if !json.Valid([]byte(line)) {
			p.T.Errorf("log line: got %q, want JSON", line)
		}
	}
}

// NewClient creates an account with the command "user add", as an operator does, and returns
// its client at this server.
func (p *Process) NewClient(t testing.TB, email string, flags ...string) *api.Client {
	t.Helper()
	user, err := p.installation.AddUser(t.Context(), email, flags...)
	check(t, err)
	return &api.Client{T: t, URL: p.URL, ID: user.ID, Key: user.APIKey}
}

// Client returns a client of the same account at this server.
func (p *Process) Client(account *api.Client) *api.Client {
	moved := *account
	moved.URL = p.URL
	return &moved
}
