package child

import (
	"os/exec"
	"runtime"
)

// runOnOwnThread starts the child with a lower priority, calls started with its process id,
// and waits for the child.
func runOnOwnThread(cmd *exec.Cmd, started func(pid int)) error {
	return onOwnThread(func() error {
		lowerPriority()
		err := cmd.Start()
		if err == nil {
			preferOOMKill(cmd.Process.Pid)
			started(cmd.Process.Pid)
			err = cmd.Wait()
		}
		return err
	})
}

// onOwnThread calls run on a new thread that ends afterwards. Another goroutine must not
// continue on this thread: its priority was lowered and cannot be raised again. The thread must
// not end earlier: Linux then kills the child that it started (see dieWithParent).
func onOwnThread(run func() error) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends
		ended <- run()
	}()
	return <-ended
}
