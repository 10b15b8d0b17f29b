package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// measures are the resources that the server uses. resident is VmRSS of /proc/PID/status, and peak
// its maximum since the start of the process, VmHWM.
type measures struct {
	resident, peak float64 // MiB
	cpu            time.Duration
	goroutines     float64
	streams        float64 // open sockets and event streams
}

// measure reads the measures from the system and from the server's metrics.
func (s *server) measure(ctx context.Context) (m measures, err error) {
	pid := s.process.Cmd.Process.Pid
	// From the kernel and not from the Go runtime: a mapping counts as well, and a limit of
	// a container would see it.
	if m.resident, err = memoryOf(pid, "VmRSS"); err != nil {
		return m, err
	}
	if m.peak, err = memoryOf(pid, "VmHWM"); err != nil {
		return m, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url("/metrics"), nil)
	if err != nil {
		return m, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return m, err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue // a comment
		}
		switch name {
		case "go_goroutines":
			m.goroutines = value
		case "portico_streams":
			m.streams = value
		case "process_cpu_seconds_total":
			m.cpu = time.Duration(value * float64(time.Second))
		}
	}
	return m, lines.Err()
}

// memoryOf returns a line of /proc/PID/status, in MiB.
func memoryOf(pid int, field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), field+":")
	line, _, _ := strings.Cut(rest, "\n")
	kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 64)
	if err != nil {
		return 0, fmt.Errorf("%s of process %d: %w", field, pid, err)
	}
	return kibibytes / 1024, nil
}

// goroutineTolerance is how many goroutines a server may have more than at its start: pools have
// grown, and connections of the honest user are kept.
const goroutineTolerance = 40

// awaitIdle waits until the attackers' goroutines and streams are gone, and reports how
// many are left.
func (s *server) awaitIdle(ctx context.Context, r *report, before measures) error {
	var now measures
	err := awaitCondition(ctx, 30*time.Second, "all goroutines of the attack have ended", func() (bool, error) {
		var err error
		now, err = s.measure(ctx)
		// Both: a stream that is closed may leave a goroutine that waits for its peer.
		return now.streams == 0 && now.goroutines <= before.goroutines+goroutineTolerance, err
	})
	r.add("memory after", now.resident, "MiB", 0)
	r.add("goroutines left", max(0, now.goroutines-before.goroutines), "", goroutineTolerance)
	r.add("streams left", now.streams, "", none)
	return err
}

// awaitCondition waits until the condition holds, or fails.
func awaitCondition(ctx context.Context, timeout time.Duration, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// Attacks are over in seconds. A longer interval would show in the figures.
	ticker := time.NewTicker(25 * time.Millisecond)
	defer ticker.Stop()
	for {
		done, err := holds()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out waiting until %s: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
}
