//go:build race

package viewer_test

// raceDetector reports whether the test was built with -race.
const raceDetector = true
