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
	// moreFiles is how many files may be opened beside those that are open.
	moreFiles = 256
	// graceCPU is how long a process whose CPU time is used up has to say so.
	graceCPU = 5 * time.Second
)

// limit sets the limits of resources. Memory has its own (portico --memory).
func limit(o Options) error {
	open, err := highestFile()
	if err != nil {
		return err
	}
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: open + moreFiles}
	if o.FileSize > 0 {
		// What is written beyond fails with EFBIG: Go ignores the signal.
		limits[unix.RLIMIT_FSIZE] = uint64(o.FileSize)
	}
	for resource, most := range limits {
		if err := lower(resource, most, most); err != nil {
			return err
		}
	}
	if o.CPU <= 0 {
		return nil
	}
	endWithCPU()
	seconds := uint64(math.Ceil(o.CPU.Seconds()))
	return lower(unix.RLIMIT_CPU, seconds, seconds+uint64(graceCPU.Seconds()))
}

// lower sets a limit, unless it is lower already: only root could raise it.
func lower(resource int, soft, hard uint64) error {
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

// highestFile returns the highest descriptor that is open. The lowest free one would
// not do: closed files leave gaps below those that stay open.
func highestFile() (uint64, error) {
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

// endWithCPU ends the process with a word when its CPU time is used up: the system
// would kill it, which could as well be for its memory.
func endWithCPU() {
	used := make(chan os.Signal, 1)
	signal.Notify(used, unix.SIGXCPU)
	go func() {
		<-used
		fmt.Fprintln(os.Stderr, ErrCPU)
		os.Exit(1)
	}()
}
