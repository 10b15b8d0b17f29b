package worker

import (
	"syscall"
	"testing"
	"time"

	"portico/splat/splattest"
)

// The figures of docs/performance.md: a capture of 60,000 tiles of a few bytes, from the
// confirmed upload to the file. Storing many objects takes nearly all of the time.
func BenchmarkZip_of_60000_tiles(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b)
		w.start(b)
		before := processorTime(b)
		b.StartTimer()
		job := w.submitCapture(b, splattest.Capture{Tiles: 60_000})
		w.awaitCompleted(b, job.ID)
		b.StopTimer()
		b.ReportMetric((processorTime(b) - before).Seconds(), "cpu-s")
		b.StartTimer()
	}
}

// processorTime returns the CPU time that this process has used.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
