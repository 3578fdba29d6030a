package suite

import (
	"fmt"
	"time"
)

// Meter records what a run reports in addition to its time. It is used by one goroutine
// at a time.
type Meter struct {
	excluded time.Duration
	values   map[string]float64
}

// Exclude subtracts d from the time of the run: for a requested sleep.
func (m *Meter) Exclude(d time.Duration) { m.excluded += d }

// Excluded returns the subtracted time.
func (m *Meter) Excluded() time.Duration { return m.excluded }

// Report adds a figure with its unit, such as "busy workers". The last value of a unit counts.
func (m *Meter) Report(unit string, value float64) {
	if m.values == nil {
		m.values = map[string]float64{}
	}
	m.values[unit] = value
}

// Values returns what was reported, by unit; nil if nothing was.
func (m *Meter) Values() map[string]float64 { return m.values }

// Check returns an error unless the result is the expected one.
func Check[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("suite: the result is %v, where %v is right", got, want)
	}
	return nil
}
