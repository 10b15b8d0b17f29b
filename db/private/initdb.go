package private

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"portico/internal/durable"
)

// createData creates the data of a new cluster under a temporary name and renames it when
// it is complete, so that a killed start never leaves an incomplete cluster.
func createData(ctx context.Context, found programs, p location, l *lock, o Options) error {
	temporary := p.path("data.new")
	if err := os.RemoveAll(temporary); err != nil {
		return fmt.Errorf("remove the remains of an interrupted start: %w", err)
	}
	o.Logger.Info("creating a private postgres cluster", "dir", p.folder, "version", found.major)
	args := []string{
		"--pgdata=" + temporary, "--username=" + superuser, "--pwfile=" + p.path("password"),
		// The locale C exists on every machine, and its order does not change when
		// the C library is updated, so that indexes stay valid.
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions",
	}
	if runtime.GOOS == "linux" {
		// Searches need upper and lower case of all letters. glibc includes C.UTF-8.
		args = append(args, "--lc-ctype=C.UTF-8")
	}
	if o.FastUnsafe {
		args = append(args, "--no-sync")
	}
	initdb := exec.Command(found.path("initdb"), args...) //nolint:noctx // runInitdb kills it with its children
	if err := runInitdb(ctx, initdb, p, l); err != nil {
		return err
	}
	// The rename fails if data exists and is not empty.
	if err := os.Rename(temporary, p.path("data")); err != nil {
		return fmt.Errorf("finish the new cluster: %w", err)
	}
	return durable.SyncFolder(p.folder)
}

// runInitdb runs initdb. It kills initdb and its children when ctx ends.
func runInitdb(ctx context.Context, cmd *exec.Cmd, p location, l *lock) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	child, err := spawn(cmd, p, l)
	if err != nil {
		return fmt.Errorf("run initdb: %w", err)
	}
	select {
	case <-child.done:
	case <-ctx.Done():
		// Kill the whole process group. It may just have ended by itself.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-child.done
		return fmt.Errorf("run initdb: %w", context.Cause(ctx))
	}
	if child.err != nil && strings.Contains(output.String(), "could not look up effective user ID") {
		return fmt.Errorf("PostgreSQL refuses a user without a name, and %d has none: start as a user of this machine, "+
			"or set PORTICO_DATABASE_URL", os.Geteuid())
	}
	if child.err != nil {
		return fmt.Errorf("run initdb: %w: %s", child.err, strings.TrimSpace(output.String()))
	}
	return nil
}
