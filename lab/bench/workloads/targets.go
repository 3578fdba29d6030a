package workloads

import "github.com/movenext/movenext/lab/bench/suite"

// targets are the figures that the library should reach, by work. They are derived from figures
// of the fastest libraries in seven languages and of prototypes without some of the library's
// duties; see docs/laboratory.md.
var targets = map[string][]suite.Target{
	"W1": {
		ratio("movenext", goroutines, 0.8, 0.5),
		ratio("movenext", spawnFuture, 0.5, 0.5),
	},
	"W2": {
		ratio("movenext: parallel scope", goroutines, 0.08, 0.03),
		ratio("movenext: parallel.Fork", goroutines, 0.2, 0.1),
		ratio("movenext: await", goroutines, 0.16, 0.1),
		ratio("movenext: wait", goroutines, 0.2, 0.1),
		{Contender: "movenext: parallel scope", Figure: suite.PeakMB, Ship: 20, Goal: 20},
	},
	"W3": {
		ratio("movenext: parallel.Join", goroutines, 0.06, 0.018),
		ratio("movenext: await", goroutines, 0.25, 0.06),
		ratio("movenext: wait", goroutines, 0.3, 0.22),
	},
	"W4": {
		ratio("movenext: parallel.Fork", goroutines, 0.06, 0.02),
		ratio("movenext: await", goroutines, 0.17, 0.06),
		ratio("movenext: wait", goroutines, 0.2, 0.16),
	},
	"W5": {
		{Contender: "movenext", Base: goroutines, Figure: suite.PeakRatio, Ship: 0.07, Goal: 0.05},
		ratio("movenext", goroutines, 0.2, 0.08),
	},
	"W6a": {ratio("movenext", goroutines, 0.25, 0.2), allocatesNothing("movenext")},
	"W6b": {ratio("movenext", goroutines, 0.3, 0.2), allocatesNothing("movenext")},
	"W6c": {ratio("movenext", goroutines, 0.28, 0.12)}, // the floor of the contract
	"W6d": {
		{Contender: "movenext", Base: "plain call", Figure: suite.More, Ship: 10, Goal: 5},
		allocatesNothing("movenext"),
	},
	"W7": {
		ratio("movenext: Then", goroutines, 0.15, 0.08),
		ratio("movenext: ContinueWith", goroutines, 0.15, 0.08),
		ratio("movenext: await", goroutines, 0.15, 0.08),
	},
	"W8": {
		ratio("movenext: rendezvous", goroutines, 0.4, 0.25),
		ratio("movenext: buffered", goroutines, 0.4, 0.25),
	},
	"W9a": {ratio("movenext", goroutines, 2, 1.5)},
	"W9b": {
		ratio("movenext", goroutines, 1.1, 0.5),
		ratio("movenext: job.Blocking", goroutines, 1.1, 0.5),
	},
	"W9c": { // 4 × GOMAXPROCS of two processors
		{Contender: "movenext", Figure: suite.Reported, Unit: "computing at once", Ship: 8, Goal: 8},
	},
	"L1": {{Contender: "movenext", Figure: suite.Reported, Unit: "p99 µs", Ship: 2000, Goal: 500}},
	"V5": {
		{Contender: "movenext: shared context", Base: "goroutines: shared context", Figure: suite.PeakRatio, Ship: 0.09, Goal: 0.06},
		{Contender: "movenext: own context", Base: "goroutines: own context", Figure: suite.PeakRatio, Ship: 0.32, Goal: 0.15}, // likewise
	},
	"V8": {
		ratio("movenext: rendezvous, reversed", goroutines, 0.5, 0.3),
		ratio("movenext: rendezvous, cancellable", stoppableBase, 0.6, 0.4),
	},
	"V9": {ratio("movenext", group, 1, 0.7)},
	"V10": {
		ratio("movenext roundrobin", "movenext", 1.5, 1.2),
		ratio("movenext priority", "movenext", 1.5, 1.2),
		ratio("movenext observed", "movenext", 1.5, 1.2),
	},
	"U1": {
		ratio("movenext", group, 1.1, 0.8),
		ratio("movenext: Start", group, 1.1, 0.8),
	},
	"U2": {ratio("movenext", stoppableBase, 0.8, 0.5)},
	"U8": {{Contender: "movenext", Figure: suite.Reported, Unit: "bytes each", Ship: 1500, Goal: 900}},
	"H":  {ratio("movenext dedicated", "bare threads", 1.2, 1.05)},
}

func ratio(contender, base string, ship, goal float64) suite.Target {
	return suite.Target{Contender: contender, Base: base, Figure: suite.Ratio, Ship: ship, Goal: goal}
}

// allocatesNothing is the target of a path that allocates nothing: less than one byte, since the
// code that starts the path allocates.
func allocatesNothing(contender string) suite.Target {
	return suite.Target{Contender: contender, Figure: suite.Allocated, Ship: 1, Goal: 1}
}
