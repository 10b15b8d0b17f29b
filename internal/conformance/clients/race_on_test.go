//go:build race

package clients

// raceDetector tells how this test was built, and so how the server is.
const raceDetector = true
