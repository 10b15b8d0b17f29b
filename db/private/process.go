package private

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child process that shares the server's lock.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // result of Wait; valid after done
}

// spawn starts cmd as the location's user in its own process group, so that Ctrl-C reaches
// only Portico, which decides when the server stops.
func spawn(cmd *exec.Cmd, p location, l *lock) (*process, error) {
	cmd.Dir = p.folder
	cmd.Env = childEnvironment()
	cmd.ExtraFiles = []*os.File{l.file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.account.applyTo(cmd)
	stopWithParent(cmd.SysProcAttr)
	child := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go child.run(started)
	return child, <-started
}

// run starts the child and waits for it, on a locked thread: Linux sends the parent-death
// signal when the thread that started the child ends.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
		close(p.done)
	}
}

// childEnvironment returns the environment of child processes: only the variables for
// finding and loading programs. Other variables may hold secrets, and PG* variables would
// change the behaviour of initdb.
func childEnvironment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
