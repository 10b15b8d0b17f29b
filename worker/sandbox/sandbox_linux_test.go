package sandbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/worker/sandbox"
)

func TestEnter_refuses_only_what_its_measures_forbid(t *testing.T) {
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
	for _, test := range attempts(secret, listener.Addr().String()) {
		t.Run(fmt.Sprint(test.try, " ", test.measures), func(t *testing.T) {
			t.Parallel()
			need(t, test.measures...)
			folder := t.TempDir()
			if os.Geteuid() == 0 {
				if err := os.Chown(folder, sandbox.UserID, sandbox.UserID); err != nil {
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

// attempt is what a confined process tries, and the end of its output.
type attempt struct {
	try, target string
	measures    []sandbox.Measure
	want        string
}

// attempts returns attempts to leave a sandbox, with the file secret of root and the address of a
// listener as targets.
func attempts(secret, address string) []attempt {
	none := []sandbox.Measure{}
	files, calls := []sandbox.Measure{sandbox.Files}, []sandbox.Measure{sandbox.Calls}
	user, network := []sandbox.Measure{sandbox.User}, []sandbox.Measure{sandbox.Network}
	all := sandbox.Measures()
	const denied, forbidden = "permission denied", "operation not permitted"
	return []attempt{
		// Without measures everything succeeds, so no row below passes by chance.
		{"open", "/etc/passwd", none, "done"},
		{"open", "/etc/passwd", files, denied},
		{"open", "/etc/passwd", all, denied},
		{"open", "/etc/passwd", []sandbox.Measure{"prayer"}, `"prayer" is not a measure`},
		{"open", "/proc/self/environ", all, denied},
		{"open", secret, none, "done"},
		{"open", secret, user, denied},
		{"read what is open", "", all, "done"},
		{"make a file outside", secret + "2", none, "done"},
		{"make a file outside", secret + "3", files, denied},
		{"make a file outside", secret + "4", user, denied},
		{"make files inside", "", none, "done"},
		{"make files inside", "", all, "done"},
		{"connect", address, none, "done"},
		{"connect", address, network, "network is unreachable"},
		{"connect", address, calls, forbidden},
		{"connect", address, all, forbidden},
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
	}
}

// All files of a capture with many tiles are open before its process is confined.
func TestEnter_with_many_open_files(t *testing.T) {
	t.Parallel()
	need(t, sandbox.Measures()...)
	folder := t.TempDir()
	if err := os.Chown(folder, sandbox.UserID, sandbox.UserID); os.Geteuid() == 0 && err != nil {
		t.Fatal(err)
	}
	got := run(t, task{Try: "make files inside", Gap: 600, Options: sandbox.Options{
		Measures: sandbox.Measures(), Folder: folder,
	}})
	if got != "done" {
		t.Errorf("got %q, want done", got)
	}
}

// The kernel's description of the child shows that it cannot get its privileges back.
func TestEnter_shows_in_the_process(t *testing.T) {
	t.Parallel()
	need(t, sandbox.Measures()...)
	cmd, out := start(t, task{Try: "wait", Options: sandbox.Options{Measures: sandbox.Measures()}})
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "entered\n" {
		t.Fatalf("child: got %q, %v, want it to enter", line, err)
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", cmd.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatalf("threads: got %d, %v, want several", len(threads), err)
	}
	id := strconv.Itoa(sandbox.UserID)
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

// A child ends when its server is killed. A change of the user clears the signal that the kernel
// sends for this, so it must be set again.
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
	case <-time.After(time.Minute):
		t.Error("the child outlived its parent")
	}
	_ = cmd.Wait() // it was killed
}
