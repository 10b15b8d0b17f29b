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

// server is a postgres that is our child.
type server struct{ *process }

// startServer starts postgres and returns when it accepts connections. A server
// that does not get there has ended when the error is returned.
func startServer(ctx context.Context, found programs, p place, l *lock, o Options) (*server, error) {
	if err := removeStalePidFile(p); err != nil {
		return nil, err
	}
	if err := p.account.ownFolder(p.socketFolder()); err != nil {
		return nil, fmt.Errorf("make the folder of the socket: %w", err)
	}
	// Root opens the log and hands it over, like all files here.
	log, err := openServerLog(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()                                    // the child has its own
	cmd := exec.Command(found.path("postgres"), serverArguments(p, o)...) //nolint:noctx // outlives the start
	// The bare file: anything else would be a pipe to us, and die with us.
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

// serverArguments puts what must not be changed last, where it wins.
func serverArguments(p place, o Options) []string {
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

// waitReady waits until the server says so in its pid file, or ends. It asks
// for no time limit of its own: recovery takes as long as it takes.
func (s *server) waitReady(ctx context.Context, p place) error {
	return poll(ctx, 5*time.Millisecond, func() (bool, error) {
		select {
		case <-s.done:
			return false, fmt.Errorf("postgres ended at its start: %w", s.err)
		default:
		}
		file, err := readPidFile(p)
		return file.pid == s.cmd.Process.Pid && file.status == "ready", err
	})
}

// stop shuts the server down: fast, and at once when ctx ends before that.
func (s *server) stop(ctx context.Context) error {
	if err := s.signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.ended()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("stop postgres: %w", context.Cause(ctx)), s.abort())
	}
}

// abort ends the server at once: it recovers from its log at the next start.
func (s *server) abort() error {
	if err := s.signal(syscall.SIGQUIT); err != nil {
		return err
	}
	// PostgreSQL itself kills children that do not follow within five seconds.
	<-s.done
	return nil
}

// signal sends the signal to a server that may have ended already.
func (s *server) signal(signal os.Signal) error {
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal postgres: %w", err)
	}
	return nil
}

// ended is nil for a clean shutdown, which ends with status 0.
func (s *server) ended() error {
	if s.err != nil {
		return fmt.Errorf("stop postgres: %w", s.err)
	}
	return nil
}
