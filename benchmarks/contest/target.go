package contest

// Target is a figure that a contender of this library is to reach.
type Target struct {
	Contender string
	Base      string // what the figure is compared with; "" where it stands alone
	Figure    Figure
	Unit      string // of a Reported figure: which

	// Ship is what a release must not exceed, Goal where it should end.
	Ship, Goal float64
}

// Figure is what a target speaks of.
type Figure string

// The figures. Ratio and Memory are divided by the base's, within a round and over all of them; More is the
// difference of the times in nanoseconds. The others stand alone.
const (
	Ratio     Figure = "time, × base"
	More      Figure = "ns more than base"
	PeakRatio Figure = "peak memory of each, × base"
	PeakMB    Figure = "peak memory of the process, MB"
	Allocated Figure = "bytes allocated"
	Reported  Figure = "reported"
)
