package child

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// There are more computing processes than processors, so one of them waits.
func TestWaitedForProcessor_grows_on_a_busy_machine(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/schedstat"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("this kernel does not count it")
	}
	var loops []*exec.Cmd
	for range runtime.NumCPU() + 1 {
		loop := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = loop.Wait() }) // killed by the end of the test's context
		loops = append(loops, loop)
	}
	const want = 50 * time.Millisecond
	for deadline := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		waited := time.Duration(0)
		for _, loop := range loops {
			waited += waitedForProcessor(loop.Process.Pid)
		}
		if waited >= want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited: got %s, want at least %s", waited, want)
		}
	}
}
