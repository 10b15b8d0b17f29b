package sandbox

import (
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// extraFiles is how many files the process may open in addition to its open files.
	extraFiles = 256
	// cpuGrace is the CPU time between the soft and the hard limit, for printing ErrCPU.
	cpuGrace = 5 * time.Second
)

// limitResources sets the limits of all resources except memory, which package child limits before
// any file is opened. RLIMIT_CORE is 0, because a core file would contain the user's capture.
func limitResources(o Options) error {
	open, err := highestDescriptor()
	if err != nil {
		return err
	}
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: open + extraFiles}
	if o.FileSize > 0 {
		// Go ignores SIGXFSZ, so writes beyond the limit fail with EFBIG.
		limits[unix.RLIMIT_FSIZE] = uint64(o.FileSize)
	}
	for resource, value := range limits {
		if err := lowerLimit(resource, value, value); err != nil {
			return err
		}
	}
	if o.CPU <= 0 {
		return nil
	}
	exitAtCPULimit()
	seconds := uint64(math.Ceil(o.CPU.Seconds()))
	return lowerLimit(unix.RLIMIT_CPU, seconds, seconds+uint64(cpuGrace.Seconds()))
}

// lowerLimit sets a limit, or keeps the current limit if that is lower: only root could raise
// it.
func lowerLimit(resource int, soft, hard uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return fmt.Errorf("read limit %d: %w", resource, err)
	}
	hard = min(hard, uint64(now.Max)) //nolint:unconvert // another type elsewhere
	now.Cur, now.Max = min(soft, hard), hard
	if err := unix.Setrlimit(resource, &now); err != nil {
		return fmt.Errorf("set limit %d to %d: %w", resource, hard, err)
	}
	return nil
}

// highestDescriptor returns the highest open descriptor. The limit counts from it, and not
// from the number of open files, because closed files leave gaps.
func highestDescriptor() (uint64, error) {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0, fmt.Errorf("list open files: %w", err)
	}
	var highest uint64
	for _, entry := range entries {
		if number, err := strconv.ParseUint(entry.Name(), 10, 32); err == nil {
			highest = max(highest, number)
		}
	}
	return highest, nil
}

// exitAtCPULimit makes the process print ErrCPU and exit at its soft limit. At the hard limit
// the system kills the process, and the parent would take that for a lack of memory.
func exitAtCPULimit() {
	used := make(chan os.Signal, 1)
	signal.Notify(used, unix.SIGXCPU)
	go func() {
		<-used
		fmt.Fprintln(os.Stderr, ErrCPU)
		os.Exit(1)
	}()
}
