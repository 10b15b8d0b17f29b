package child

import (
	"os/exec"
	"runtime"
)

// runOnOwnThread starts the child and waits for it, on a thread that ends with the
// child. A thread whose priority was lowered cannot raise it again, and Linux takes
// the end of the thread that forked for the end of the parent.
func runOnOwnThread(cmd *exec.Cmd) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends
		lowerPriority()
		err := cmd.Start()
		if err == nil {
			preferOOMKill(cmd.Process.Pid)
			err = cmd.Wait()
		}
		ended <- err
	}()
	return <-ended
}
