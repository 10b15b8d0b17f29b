package child

import (
	"os/exec"

	"portico/internal/subprocess"
)

// runOnOwnThread starts the child with a lower priority, calls started with its process id,
// and waits for the child. The thread cannot get its priority back, so nothing else runs on it.
func runOnOwnThread(cmd *exec.Cmd, started func(pid int)) error {
	return subprocess.OnOwnThread(func() error {
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
