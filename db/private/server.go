package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// server is a postgres that is a child of this process.
type server struct{ *process }

// startServer starts postgres and returns when it accepts connections. If it returns an
// error, the server has ended.
func startServer(ctx context.Context, found programs, p location, l *lock, o Options) (*server, error) {
	if err := removeStalePidFile(p); err != nil {
		return nil, err
	}
	if err := p.account.ownFolder(p.socketFolder()); err != nil {
		return nil, fmt.Errorf("create the folder of the socket: %w", err)
	}
	// The log is opened by this process, which may be root, and handed over.
	log, err := openServerLog(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()                                    // the child has its own copy
	cmd := exec.Command(found.path("postgres"), serverArguments(p, o)...) //nolint:noctx // outlives the start
	// Pass the *os.File itself: any other writer becomes a pipe to this process, which
	// would break when this process ends.
	cmd.Stdout, cmd.Stderr = log.File, log.File
	child, err := spawn(cmd, p, l)
	if err != nil {
		return nil, fmt.Errorf("run postgres: %w", err)
	}
	s := &server{child}
	if err := s.waitReady(ctx, p); err != nil {
		stopErr := s.abort()
		return nil, errors.Join(fmt.Errorf("%w; %s ends with: %s", err, log.Name(), log.tail()), stopErr)
	}
	return s, nil
}

// serverArguments returns the arguments of postgres. Settings that must not be changed
// come last, because the last value of a setting counts.
func serverArguments(p location, o Options) []string {
	settings := []string{"timezone=UTC", "log_timezone=UTC"}
	if o.FastUnsafe {
		settings = append(settings, "fsync=off", "full_page_writes=off", "synchronous_commit=off")
	}
	names := make([]string, 0, len(o.Settings))
	for name := range o.Settings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		settings = append(settings, name+"="+o.Settings[name])
	}
	settings = append(settings, "listen_addresses=", "port=5432", "unix_socket_permissions=0700",
		"unix_socket_directories="+p.socketFolder(), "logging_collector=off", "log_destination=stderr")
	args := []string{"-D", p.path("data")}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// waitReady waits until the pid file says that the server is ready, or until the server
// ends. It has no timeout of its own, because recovery can take any time.
func (s *server) waitReady(ctx context.Context, p location) error {
	return poll(ctx, 5*time.Millisecond, func() (bool, error) {
		select {
		case <-s.done:
			return false, fmt.Errorf("postgres ended during startup: %w", s.err)
		default:
		}
		file, err := readPidFile(p)
		return file.pid == s.cmd.Process.Pid && file.status == "ready", err
	})
}

// stop shuts the server down: fast, or immediately if ctx ends before that.
func (s *server) stop(ctx context.Context) error {
	if err := s.signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.exitError()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("stop postgres: %w", context.Cause(ctx)), s.abort())
	}
}

// abort shuts the server down immediately. It recovers from its log at the next start.
func (s *server) abort() error {
	if err := s.signal(syscall.SIGQUIT); err != nil {
		return err
	}
	// The server kills its own children after five seconds, so this wait is short.
	<-s.done
	return nil
}

// signal sends a signal to the server, which may have ended already.
func (s *server) signal(signal os.Signal) error {
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal postgres: %w", err)
	}
	return nil
}

// exitError returns nil after a clean shutdown, which exits with status 0.
func (s *server) exitError() error {
	if s.err != nil {
		return fmt.Errorf("stop postgres: %w", s.err)
	}
	return nil
}
