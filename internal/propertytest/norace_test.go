//go:build !race

package propertytest

const raceDetector = false
