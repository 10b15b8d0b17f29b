//go:build race

package propertytest

const raceDetector = true
