package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// BuildOptions are options of Build. The zero value builds the program of this module like a
// release.
type BuildOptions struct {
	// Module is the folder of the module that is built. Empty means the module of the
	// working directory.
	Module string
	// Overlay is a file for go build -overlay. Empty means none.
	Overlay string
}

// name returns the file name of the program. Different options have different names, so that their
// programs do not replace each other.
func (o BuildOptions) name() string {
	name := "portico"
	if o.Overlay != "" {
		name += "-overlay"
	}
	return name
}

// Version is the version of the programs that Build builds.
const Version = "v0.0.0-test"

// Build builds the program and returns its absolute path. It builds in the cache folder of the
// module, where go build does not link a program again that is up to date. Like a release, the
// program has no debugging tables, which take half of the time of the linker.
func Build(ctx context.Context, o BuildOptions) (path string, err error) {
	module, err := moduleFolder(ctx, o.Module)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(module, ".cache", "program")
	unlock, err := lock(folder)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	path = filepath.Join(folder, o.name())
	args := []string{"build", "-ldflags=-s -w -X portico/server.version=" + Version, "-o", path}
	if o.Overlay != "" {
		args = append(args, "-overlay", o.Overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/portico")...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build portico: %w\n%s", err, out)
	}
	return path, nil
}

// moduleFolder returns the absolute path of a module's folder.
func moduleFolder(ctx context.Context, module string) (string, error) {
	if module != "" {
		return filepath.Abs(module)
	}
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(file))), nil
}

// Tool returns the path of a tool that a module file in this module's folder names, such as
// versitygw of s3.mod. The go command builds it and keeps it in its cache. It is built by one
// process at a time: a program that another go command is still writing cannot be started ("text
// file busy").
func Tool(ctx context.Context, moduleFile, name string) (string, error) {
	module, err := moduleFolder(ctx, "")
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(module, ".cache", "tools"))
	if err != nil {
		return "", err
	}
	defer func() { _ = unlock() }() // the lock ends with the process in any case
	path, err := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join(module, moduleFile), "-n", name).Output()
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return strings.TrimSpace(string(path)), nil
}

// lock prevents other processes from building in the folder. go test runs several packages in
// parallel, and none may start a program that another one is still writing. It waits until the
// other process has built. The lock ends with the process that has it.
func lock(folder string) (unlock func() error, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", folder, err), file.Close())
	}
	return file.Close, nil
}
