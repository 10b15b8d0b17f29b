package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"portico/worker/sandbox"
)

// childVariable makes the test binary a process that enters the sandbox and then
// tries something.
const childVariable = "PORTICO_TEST_SANDBOX"

type task struct {
	sandbox.Options

	Try    string
	Target string // a path or an address
	Held   string // a file that is opened before the process is confined
	Gap    int    // how many more files are opened before, with descriptors above a free one
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var t task
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			panic(err)
		}
		if err := t.run(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
		return
	}
	os.Exit(m.Run())
}

// run enters the sandbox and does what the task says.
func (t task) run() error {
	switch t.Try {
	case "measures":
		names := map[sandbox.Measure]string{}
		for measure, err := range sandbox.Try() {
			names[measure] = err.Error()
		}
		return json.NewEncoder(os.Stdout).Encode(names)
	case "be a parent":
		return t.beParent()
	}
	held, err := os.Open(t.Held)
	if err != nil {
		return err
	}
	if err := openAboveGap(t.Gap); err != nil {
		return err
	}
	if t.Folder != "" {
		if err := os.Chdir(t.Folder); err != nil {
			return err
		}
		t.Folder = "."
	}
	// Threads that exist before are confined too.
	var wg sync.WaitGroup
	confined := make(chan struct{})
	results := make(chan error, 8)
	for range cap(results) {
		wg.Go(func() {
			<-confined
			results <- t.try(held)
		})
	}
	if err := sandbox.Enter(t.Options); err != nil {
		return fmt.Errorf("enter: %w", err)
	}
	if t.Try == "wait" {
		fmt.Println("entered")
		<-time.After(time.Hour) // the process is killed earlier
	}
	close(confined)
	wg.Wait()
	close(results)
	for err := range results {
		if err != nil {
			return err
		}
	}
	return nil
}

// openAboveGap opens files and leaves them open. The descriptor below them is free.
func openAboveGap(files int) error {
	gap, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	for range files {
		if _, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err != nil {
			return err
		}
	}
	return gap.Close()
}

// beParent starts a child process that must die with this one.
func (t task) beParent() error {
	runtime.LockOSThread() // the kernel takes the end of this thread for the end of the parent
	t.Try = "wait"
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childVariable + "=" + string(text)}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}

// try does one thing, on several threads at once.
func (t task) try(held *os.File) error {
	switch t.Try {
	case "open":
		_, err := os.ReadFile(t.Target)
		return err
	case "read what is open":
		b := make([]byte, 4)
		_, err := held.ReadAt(b, 0)
		return err
	case "make a file outside":
		return os.WriteFile(t.Target, nil, 0o600)
	case "make files inside":
		staged, err := os.MkdirTemp(".", "staged-")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(staged, "file"), []byte("text"), 0o600); err != nil {
			return err
		}
		moved := staged + "-moved"
		return errors.Join(os.Rename(filepath.Join(staged, "file"), moved), os.RemoveAll(staged), os.Remove(moved))
	}
	return t.tryProcess()
}

// tryProcess tries an action that does not concern files.
func (t task) tryProcess() error {
	switch t.Try {
	case "connect":
		conn, err := net.DialTimeout("tcp", t.Target, 10*time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err
	case "run a program":
		return exec.Command("/bin/true").Run()
	case "fork":
		id, _, failed := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		if failed != 0 {
			return failed
		}
		if id == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	case "signal its parent":
		return unix.Kill(os.Getppid(), 0)
	case "write much":
		file, err := os.CreateTemp(".", "much-*")
		if err != nil {
			return err
		}
		_, err = file.Write(make([]byte, 1<<20))
		return errors.Join(err, file.Close())
	case "open much":
		for range 1000 {
			if _, err := os.Open("/dev/null"); err != nil {
				return err
			}
		}
		return nil
	case "compute":
		for { //nolint:staticcheck // until it is ended
		}
	case "be a user":
		if os.Getuid() == sandbox.UserID && os.Getgid() == sandbox.UserID {
			return nil
		}
		return fmt.Errorf("user %d, group %d", os.Getuid(), os.Getgid())
	}
	return fmt.Errorf("%q is nothing to try", t.Try)
}

// start starts a child. It returns nil if the system cannot create the namespace.
func start(t *testing.T, do task) (*exec.Cmd, io.Reader) {
	t.Helper()
	do.Held = filepath.Join(t.TempDir(), "held")
	if err := os.WriteFile(do.Held, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(do)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = []string{childVariable + "=" + string(text)}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	for _, measure := range do.Measures {
		if measure == sandbox.Network {
			sandbox.Separate(cmd.SysProcAttr)
		}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatalf("start: %v", err)
	}
	return cmd, out
}

func run(t *testing.T, do task) string {
	t.Helper()
	cmd, out := start(t, do)
	said, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // only its output counts
	return strings.TrimSpace(string(said))
}

// need skips the test if the system lacks a measure.
func need(t *testing.T, measures ...sandbox.Measure) {
	t.Helper()
	var missing map[sandbox.Measure]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(run(t, task{Try: "measures"}), "done")), &missing); err != nil {
		t.Fatal(err)
	}
	for _, measure := range measures {
		if measure == sandbox.Network && os.Geteuid() != 0 {
			t.Skip("a network namespace needs root")
		}
		if why, ok := missing[measure]; ok {
			t.Skipf("the system lacks %s: %s", measure, why)
		}
	}
}
