package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// rateLine matches the line of pgbench's report with the rate without connecting.
var rateLine = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \(`)

// parseRate reads transactions per second, without the time to connect.
func parseRate(output string) (float64, error) {
	found := rateLine.FindStringSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("%w:\n%s", errNothingDone, output)
	}
	return strconv.ParseFloat(found[1], 64)
}

// readLatencies reads pgbench's logs: client, transaction, microseconds, …
func readLatencies(folder string) ([]time.Duration, error) {
	names, err := filepath.Glob(filepath.Join(folder, "pgbench_log.*"))
	if err != nil {
		return nil, err
	}
	var latencies []time.Duration
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 3 {
				return nil, fmt.Errorf("pgbench logged %q", line)
			}
			microseconds, err := strconv.Atoi(fields[2])
			if err != nil {
				return nil, err
			}
			latencies = append(latencies, time.Duration(microseconds)*time.Microsecond)
		}
	}
	return latencies, nil
}
