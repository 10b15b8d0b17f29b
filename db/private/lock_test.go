package private

import (
	"os"
	"path/filepath"
	"testing"
)

// openLocks returns the locks of several processes on one new file.
func openLocks(t *testing.T, count int) []*lock {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lock")
	var locks []*lock
	for range count {
		l, err := openLock(path, account{uid: os.Geteuid()})
		if err != nil {
			t.Fatalf("openLock: %v", err)
		}
		t.Cleanup(func() { _ = l.close() }) // some tests have closed it
		locks = append(locks, l)
	}
	return locks
}

// check compares the result of a lock's method.
func check(t *testing.T, what string, method func() (bool, error), want bool) {
	t.Helper()
	if got, err := method(); err != nil || got != want {
		t.Errorf("%s: got %t, %v, want %t", what, got, err, want)
	}
}

func TestLock_has_one_holder(t *testing.T) {
	t.Parallel()
	locks := openLocks(t, 3)
	one, two, asks := locks[0], locks[1], locks[2]

	check(t, "free at first", asks.isFree, true)
	check(t, "the first takes it", one.try, true)
	check(t, "the first has it", one.try, true)
	check(t, "the second", two.try, false)
	check(t, "free while it is held", asks.isFree, false)
	if err := one.close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	check(t, "free after close", asks.isFree, true)
	check(t, "the second after close", two.try, true)
}

func TestLock_wait(t *testing.T) {
	t.Parallel()
	locks := openLocks(t, 2)
	for range 2 {
		if err := locks[0].wait(); err != nil {
			t.Errorf("wait: got %v, want no error", err)
		}
	}
	check(t, "after another waited", locks[1].try, false)
}

func TestLock_outlives_its_process_in_a_child(t *testing.T) {
	t.Parallel()
	locks := openLocks(t, 2)
	check(t, "the owner", locks[0].try, true)
	child := startSleeper(t, locks[0])
	if err := locks[0].close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	check(t, "while the child lives", locks[1].try, false)
	if err := child.cmd.Process.Kill(); err != nil {
		t.Fatalf("Kill: %v", err)
	}
	<-child.done
	check(t, "after the child's end", locks[1].try, true)
}

func TestOpenLock_refuses_a_link(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatalf("Symlink: %v", err)
	}
	if l, err := openLock(path, account{uid: os.Geteuid()}); err == nil {
		t.Errorf("openLock: got %v, want an error", l.file.Name())
	}
}
