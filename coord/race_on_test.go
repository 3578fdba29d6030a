//go:build race

package coord

const raceDetector = true
