package private

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child that holds the cluster's lock with us.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and been waited for
	err  error         // how it ended; to be read after done
}

// spawn starts cmd as the place's user in a process group of its own, so that
// Ctrl-C reaches us first and we decide when the server stops.
func spawn(cmd *exec.Cmd, p place, l *lock) (*process, error) {
	cmd.Dir = p.dir
	cmd.Env = childEnvironment()
	cmd.ExtraFiles = []*os.File{l.file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.account.run(cmd)
	dieWithParent(cmd.SysProcAttr)
	child := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go child.live(started)
	return child, <-started
}

// live starts the child and waits for it, on a thread that it never leaves:
// Linux takes the end of the thread that forked for the end of the parent.
func (p *process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
		close(p.done)
	}
}

// childEnvironment passes on what programs need to be found and loaded. The
// rest stays here: ours holds secrets, and PG* variables would steer initdb.
func childEnvironment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
