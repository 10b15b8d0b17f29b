package program_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/internal/testkit/program"
)

func TestProcess_outlives_the_thread_of_its_caller(t *testing.T) {
	t.Parallel()
	var p *program.Process
	thread := make(chan string)
	onEndingThread(func() {
		p = start(t, `trap 'exit 0' TERM; echo '{"msg":"up"}' >&2; while :; do sleep 0.01; done`)
		thread <- filepath.Join("/proc/self/task", strconv.Itoa(syscall.Gettid()))
	})
	running := <-thread
	if _, err := p.Logged(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	api.Eventually(t, "the caller's thread has ended", func() bool {
		_, err := os.Stat(running)
		return errors.Is(err, fs.ErrNotExist)
	})
	if err := p.Stop(5 * time.Second); err != nil {
		t.Errorf("Stop: got %v, want the process to have lived until then", err)
	}
}

// onEndingThread calls the function on a thread that ends with the call.
func onEndingThread(call func()) {
	go func() {
		runtime.LockOSThread() // and never unlocked, so the thread ends with the goroutine
		if syscall.Gettid() != os.Getpid() {
			call()
			return
		}
		// The runtime keeps the first thread of a process. While this goroutine has it,
		// another one does not get it.
		onEndingThread(call)
		runtime.UnlockOSThread()
	}()
}
