package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxStart limits the wait for a log line or a response.
const maxStart = 2 * time.Minute

// Process is a process that was started by Start. Its methods may be called by several
// goroutines.
type Process struct {
	Cmd *exec.Cmd
	// Ended is closed when the process has ended and its whole log was read.
	Ended chan struct{}

	mu  sync.Mutex
	log []record
	// changed is closed and replaced with each line, so that any number of goroutines can wait for
	// the next line.
	changed chan struct{}
}

// record is a line of the log. If the line is not JSON, such as a line of a panic, the message is
// the line.
type record struct{ message, line string }

// Start starts a command that logs to standard error, and copies the log to the writer unless it is
// nil. The process has its own process group, so that Ctrl-C stops only the caller. On Linux the
// process does not outlive the caller.
func Start(cmd *exec.Cmd, log io.Writer) (*Process, error) {
	p := &Process{Cmd: cmd, Ended: make(chan struct{}), changed: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = attributes()
	started := make(chan error, 1)
	go func() {
		// Linux kills the process when the thread that started it ends (prctl(2),
		// PR_SET_PDEATHSIG), so the thread must live until the process has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.readLog(stderr, log)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// readLog reads the log until the process has ended.
func (p *Process) readLog(stderr io.Reader, log io.Writer) {
	defer close(p.Ended)
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20) // a line can contain a stack trace
	for lines.Scan() {
		if log != nil {
			_, _ = io.WriteString(log, lines.Text()+"\n") // the copy is for people only
		}
		var parsed struct{ Msg string }
		if json.Unmarshal(lines.Bytes(), &parsed) != nil {
			parsed.Msg = lines.Text()
		}
		p.mu.Lock()
		p.log = append(p.log, record{parsed.Msg, lines.Text()})
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
	_ = p.Cmd.Wait() // ExitCode returns its result
}

// Log returns the lines that the process has logged so far.
func (p *Process) Log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := make([]string, len(p.log))
	for i, r := range p.log {
		lines[i] = r.line
	}
	return lines
}

// Count returns the number of messages with the prefix that the process has logged so far.
func (p *Process) Count(prefix string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := 0
	for _, r := range p.log {
		if strings.HasPrefix(r.message, prefix) {
			count++
		}
	}
	return count
}

// Logged waits until the process has logged the message, and returns its attributes.
func (p *Process) Logged(ctx context.Context, message string) (map[string]any, error) {
	return p.LoggedWhere(ctx, message, "msg", message)
}

// LoggedWhere waits until the process has logged the message with an attribute of this value, and
// returns all attributes. It returns an error if the process ends first. Lines that were logged
// before the call count too. A value must have the type to which JSON decodes: string, float64 or
// bool.
func (p *Process) LoggedWhere(ctx context.Context, message, attribute string, value any) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	for first := 0; ; {
		p.mu.Lock()
		records, changed := p.log[first:], p.changed
		first = len(p.log)
		p.mu.Unlock()
		for _, r := range records {
			attributes := map[string]any{}
			if r.message == message && json.Unmarshal([]byte(r.line), &attributes) == nil && attributes[attribute] == value {
				return attributes, nil
			}
		}
		select {
		case <-changed:
		case <-p.Ended:
			// No line was added after the lines that were compared: Ended is closed after the last
			// line.
			if p.Count("") == first {
				return nil, fmt.Errorf("the program ended (%v) and did not log %q; log:\n%s", p.Cmd.ProcessState, message, p.tail())
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("the program did not log %q: %w; log:\n%s", message, ctx.Err(), p.tail())
		}
	}
}

// Responds waits until the URL responds with a status below 500, such as /readyz of a server that
// is ready.
func (p *Process) Responds(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if status, err := get(ctx, url); err == nil && status < http.StatusInternalServerError {
			return nil
		}
		select {
		case <-ticker.C:
		case <-p.Ended:
			return fmt.Errorf("the program ended (%v) before it responded; log:\n%s", p.Cmd.ProcessState, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s does not respond: %w; log:\n%s", url, ctx.Err(), p.tail())
		}
	}
}

// get returns the status of a response.
func get(ctx context.Context, url string) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// tail returns the end of the log.
func (p *Process) tail() string {
	lines := p.Log()
	return strings.Join(lines[max(0, len(lines)-50):], "\n")
}

// Stop stops the process like a supervisor, with SIGTERM, and with SIGKILL after the timeout. It
// returns an error unless the process exits with code 0 before the timeout.
func (p *Process) Stop(timeout time.Duration) error {
	_ = p.Cmd.Process.Signal(syscall.SIGTERM) // fails only if the process has ended
	code, err := p.Wait(timeout)
	if err == nil && code != 0 {
		err = fmt.Errorf("the program stopped (%v); log:\n%s", p.Cmd.ProcessState, p.tail())
	}
	return err
}

// Wait waits for the end of the process and returns its exit code, or -1 if a signal ended it.
// After the timeout it kills the process and returns an error.
func (p *Process) Wait(timeout time.Duration) (code int, err error) {
	select {
	case <-p.Ended:
	case <-time.After(timeout):
		p.Kill()
		err = errors.New("the program did not end within " + timeout.String())
	}
	return p.Cmd.ProcessState.ExitCode(), err
}

// Kill kills the process with SIGKILL and returns when it has ended.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // fails if it has ended
	<-p.Ended
}
