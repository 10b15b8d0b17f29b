package sandbox_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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

// task is what the child is to do.
type task struct {
	sandbox.Options

	Try    string
	Target string // a path or an address
	Held   string // a file that is opened before
	Gap    int    // how many more files are opened before, above a free descriptor
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

// run is the child.
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
	// Threads that are there before are confined too.
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
		<-time.After(time.Hour) // it is killed before
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

// beParent starts a process like this one that is to die with it.
func (t task) beParent() error {
	runtime.LockOSThread() // the end of the thread would be taken for ours
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
		if os.Getuid() == sandbox.ID && os.Getgid() == sandbox.ID {
			return nil
		}
		return fmt.Errorf("user %d, group %d", os.Getuid(), os.Getgid())
	}
	return fmt.Errorf("%q is nothing to try", t.Try)
}

// start starts a child; nil where the system has no such namespace.
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

// run returns what a child says.
func run(t *testing.T, do task) string {
	t.Helper()
	cmd, out := start(t, do)
	said, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // what it says is what counts
	return strings.TrimSpace(string(said))
}

// need skips the test where the system lacks a measure.
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

func TestEnter(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("root's"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := []sandbox.Measure{}
	files, calls := []sandbox.Measure{sandbox.Files}, []sandbox.Measure{sandbox.Calls}
	user, network := []sandbox.Measure{sandbox.User}, []sandbox.Measure{sandbox.Network}
	all := sandbox.Measures()
	const denied, forbidden = "permission denied", "operation not permitted"
	for _, test := range []struct {
		try, target string
		measures    []sandbox.Measure
		want        string
	}{
		// What is tried succeeds where nothing confines it: no row passes by chance.
		{"open", "/etc/passwd", none, "done"},
		{"open", "/etc/passwd", files, denied},
		{"open", "/etc/passwd", all, denied},
		{"open", "/etc/passwd", []sandbox.Measure{"prayer"}, `"prayer" is no measure`},
		{"open", "/proc/self/environ", all, denied},
		{"open", secret, none, "done"},
		{"open", secret, user, denied},
		{"read what is open", "", all, "done"},
		{"make a file outside", secret + "2", none, "done"},
		{"make a file outside", secret + "3", files, denied},
		{"make a file outside", secret + "4", user, denied},
		{"make files inside", "", none, "done"},
		{"make files inside", "", all, "done"},
		{"connect", listener.Addr().String(), none, "done"},
		{"connect", listener.Addr().String(), network, "network is unreachable"},
		{"connect", listener.Addr().String(), calls, forbidden},
		{"connect", listener.Addr().String(), all, forbidden},
		{"run a program", "", none, "done"},
		{"run a program", "", calls, forbidden},
		{"run a program", "", files, denied},
		{"fork", "", none, "done"},
		{"fork", "", calls, forbidden},
		{"fork", "", all, forbidden},
		{"signal its parent", "", none, "done"},
		{"signal its parent", "", user, forbidden},
		{"signal its parent", "", calls, forbidden},
		{"be a user", "", user, "done"},
		{"be a user", "", all, "done"},
		{"write much", "", none, "file too large"},
		{"open much", "", none, "too many open files"},
		{"compute", "", none, sandbox.ErrCPU},
		{"compute", "", all, sandbox.ErrCPU},
	} {
		t.Run(fmt.Sprint(test.try, " ", test.measures), func(t *testing.T) {
			t.Parallel()
			need(t, test.measures...)
			folder := t.TempDir()
			if os.Geteuid() == 0 {
				if err := os.Chown(folder, sandbox.ID, sandbox.ID); err != nil {
					t.Fatal(err)
				}
			}
			got := run(t, task{Try: test.try, Target: test.target, Options: sandbox.Options{
				Measures: test.measures, Folder: folder, CPU: time.Second, FileSize: 1 << 19,
			}})
			if !strings.HasSuffix(got, test.want) {
				t.Errorf("got %q, want it to end with %q", got, test.want)
			}
		})
	}
}

// A capture of many tiles is open before its process is confined.
func TestEnter_with_many_open_files(t *testing.T) {
	t.Parallel()
	need(t, sandbox.Measures()...)
	folder := t.TempDir()
	if err := os.Chown(folder, sandbox.ID, sandbox.ID); os.Geteuid() == 0 && err != nil {
		t.Fatal(err)
	}
	got := run(t, task{Try: "make files inside", Gap: 600, Options: sandbox.Options{
		Measures: sandbox.Measures(), Folder: folder,
	}})
	if got != "done" {
		t.Errorf("got %q, want done", got)
	}
}

// The child can get no privileges back: what the kernel says of it.
func TestEnter_shows_in_the_process(t *testing.T) {
	t.Parallel()
	need(t, sandbox.Measures()...)
	cmd, out := start(t, task{Try: "wait", Options: sandbox.Options{Measures: sandbox.Measures()}})
	defer cmd.Wait()         //nolint:errcheck // it is killed
	defer cmd.Process.Kill() //nolint:errcheck // see above
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "entered\n" {
		t.Fatalf("child: got %q, %v, want it to enter", line, err)
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", cmd.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatalf("threads: got %d, %v, want several", len(threads), err)
	}
	id := strconv.Itoa(sandbox.ID)
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"Uid:\t" + strings.Join([]string{id, id, id, id}, "\t"), "Gid:\t" + strings.Join([]string{id, id, id, id}, "\t"),
			"Groups:\t \n", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2",
		} {
			if !strings.Contains(string(status), want) {
				t.Errorf("%s: got\n%s, want %q in it", thread, status, want)
			}
		}
	}
}

// A child whose server is killed ends too: the kernel forgets that it is to when
// the user changes.
func TestEnter_still_dies_with_the_parent(t *testing.T) {
	t.Parallel()
	need(t, sandbox.User, sandbox.Files, sandbox.Calls)
	cmd, out := start(t, task{Try: "be a parent", Options: sandbox.Options{
		Measures: []sandbox.Measure{sandbox.User, sandbox.Files, sandbox.Calls},
	}})
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "entered\n" {
		t.Fatalf("child: got %q, %v, want it to enter", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := said.ReadString('\n') // both have the pipe open
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, io.EOF) {
			t.Errorf("the child's pipe: got %v, want its end", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the child outlived its parent")
	}
	_ = cmd.Wait() // it was killed
}
