package suite

// Target is a figure that a contender of this library should reach.
type Target struct {
	Contender string
	Base      string // what the figure is compared with; "" if it is absolute
	Figure    Figure
	Unit      string // of a Reported figure: which

	// Ship is the bound for a release, Goal the aim.
	Ship, Goal float64
}

// Figure names the measure of a target.
type Figure string

// The figures. Ratio and Memory are divided by the base's, within a round and over all of them;
// More is the difference between the times in nanoseconds. The others are absolute.
const (
	Ratio     Figure = "time, × base"
	More      Figure = "ns more than base"
	PeakRatio Figure = "peak memory of each, × base"
	PeakMB    Figure = "peak memory of the process, MB"
	Allocated Figure = "bytes allocated"
	Reported  Figure = "reported"
)
