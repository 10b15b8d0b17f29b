//go:build race

package viewer_test

// raceDetector tells how this test was built.
const raceDetector = true
