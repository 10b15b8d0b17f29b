package worker

import (
	"syscall"
	"testing"

	"portico/model"
)

// A paused process continues while another process works on its job. It must not end River's
// job: if the other process dies, a third process must take over.
func TestLease_of_a_worker_after_a_paused_one_woke_up(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	paused := w.spawn(t, settings{})
	w.await(t, job.ID, "started", started)
	paused.signal(syscall.SIGSTOP)
	second := w.spawn(t, settings{})
	w.await(t, job.ID, "started again", func(job *model.Job) bool { return job.Attempt == 2 })
	paused.signal(syscall.SIGCONT)
	paused.awaitLine("job lost to another attempt")
	stopped := paused.stop() // when stop returns, the process has reported to River
	if got := w.job(t, job.ID); stopped != nil || got.Attempt != 2 || got.Status != model.JobProcessing {
		t.Fatalf("job: got %+v and %v, want the second attempt at work", got, stopped)
	}
	second.kill()

	store := openDisk(t, w.dir, w.db) // the next process opens the store as this one left it
	w.start(t, func(o *Options) { o.Store = store })
	file := w.awaitCompleted(t, job.ID)
	w.checkKept(t, file, captured(capture))
	if got := w.job(t, job.ID); got.Attempt != 3 || got.CountedAttempts != 3 {
		t.Errorf("job: got %+v, want the third attempt", got)
	}
}

// stop ends the process as its operator does and returns how it ended.
func (p *process) stop() error {
	_ = p.input.Close() // fails if the process has ended
	for p.lines.Scan() {
		p.t.Log("child:", p.lines.Text())
	}
	return p.cmd.Wait()
}
