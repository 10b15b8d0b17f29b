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
)

// initialize makes the data of a new cluster beside its final name and renames
// it when it is whole, so a killed start never leaves half a cluster.
func initialize(ctx context.Context, found programs, p place, l *lock, o Options) error {
	fresh := p.path("data.new")
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("remove what an interrupted start left: %w", err)
	}
	o.Logger.Info("making a new private postgres cluster", "dir", p.dir, "version", found.major)
	args := []string{
		"--pgdata=" + fresh, "--username=" + superuser, "--pwfile=" + p.path("password"),
		// C needs no locale on the machine, and indexes keep their order when
		// its C library is updated.
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions",
	}
	if runtime.GOOS == "linux" {
		// Upper and lower case of all letters, for searches; glibc brings it along.
		args = append(args, "--lc-ctype=C.UTF-8")
	}
	if o.FastUnsafe {
		args = append(args, "--no-sync")
	}
	initdb := exec.Command(found.path("initdb"), args...) //nolint:noctx // runInitdb ends it, with its children
	if err := runInitdb(ctx, initdb, p, l); err != nil {
		return err
	}
	// The rename refuses to replace a folder with something in it.
	if err := os.Rename(fresh, p.path("data")); err != nil {
		return fmt.Errorf("finish the new cluster: %w", err)
	}
	return syncFolder(p.dir)
}

// runInitdb waits for initdb, or ends it and its children with ctx.
func runInitdb(ctx context.Context, cmd *exec.Cmd, p place, l *lock) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	child, err := spawn(cmd, p, l)
	if err != nil {
		return fmt.Errorf("run initdb: %w", err)
	}
	select {
	case <-child.done:
	case <-ctx.Done():
		// The whole group. It may have ended by itself just now.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-child.done
		return fmt.Errorf("run initdb: %w", context.Cause(ctx))
	}
	if child.err != nil {
		return fmt.Errorf("run initdb: %w: %s", child.err, strings.TrimSpace(output.String()))
	}
	return nil
}
