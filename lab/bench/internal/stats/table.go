package stats

import (
	"slices"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

// Round is one trial of each contender, one right after the other: a change of the machine
// affects all of them.
type Round map[string]childproc.Result

// Table is the result of a workload's rounds.
type Table struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Op    string   `json:"op"`
	Bases []string `json:"bases"`
	Added bool     `json:"added,omitempty"`
	Ops   int      `json:"ops"`  // of one run
	Rows  []Row    `json:"rows"` // the quickest first; those that failed last
}

// Row is one contender's line. Figures are an operation's share, and medians over the rounds.
type Row struct {
	Contender string `json:"contender"`
	Note      string `json:"note,omitempty"`
	Failed    string `json:"failed,omitempty"` // why there are no figures

	Ops    int      `json:"ops,omitempty"`
	Time   Spread   `json:"time"`             // ns
	Ratios []Spread `json:"ratios,omitempty"` // to each base, within a round; or empty
	Added  Spread   `json:"added"`            // ns more than the first base, within a round
	CPU    float64  `json:"cpu"`              // ns
	Bytes  float64  `json:"bytes"`
	Allocs float64  `json:"allocs"`
	Memory float64  `json:"memory"` // peak of the runs in bytes; below zero: unknown
	Peak   float64  `json:"peak"`   // bytes, of the whole process; below zero: unknown

	Values    map[string]float64 `json:"values,omitempty"`
	Disturbed int                `json:"disturbed,omitempty"` // disturbed trials
}

// Quiet is how many processors other processes may keep busy before a trial counts
// as disturbed.
const Quiet = 0.25

// Of returns the table of a workload over its rounds. failed has the reasons why contenders
// have no trials, by name; contenders that were never meant to run are in neither.
func Of(w *suite.Work, rounds []Round, failed map[string]string) Table {
	t := Table{ID: w.ID, Title: w.Title, Op: w.Op, Bases: w.Bases, Added: w.Added}
	for _, c := range w.Contenders {
		if why, bad := failed[c.Name]; bad {
			t.Rows = append(t.Rows, Row{Contender: c.Name, Note: c.Note, Failed: why})
			continue
		}
		if row, ok := newRow(w, c, rounds); ok {
			t.Rows = append(t.Rows, row)
			t.Ops = row.Ops
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		switch {
		case (a.Failed == "") != (b.Failed == ""):
			return len(a.Failed) - len(b.Failed)
		case a.Time.Median < b.Time.Median:
			return -1
		case a.Time.Median > b.Time.Median:
			return 1
		}
		return 0
	})
	return t
}

func newRow(w *suite.Work, c suite.Contender, rounds []Round) (Row, bool) {
	row := Row{Contender: c.Name, Note: c.Note}
	took, ok := Over(column(rounds, c.Name, func(r childproc.Result) float64 { return r.Time }))
	if !ok {
		return row, false
	}
	row.Time = took
	median := func(figure func(childproc.Result) float64) float64 { return Median(column(rounds, c.Name, figure)) }
	row.CPU = median(func(r childproc.Result) float64 { return r.CPU })
	row.Bytes = median(func(r childproc.Result) float64 { return r.Bytes })
	row.Allocs = median(func(r childproc.Result) float64 { return r.Allocs })
	row.Memory = median(func(r childproc.Result) float64 { return r.Memory() })
	row.Peak = median(func(r childproc.Result) float64 { return float64(r.PeakMemory) })
	if row.Peak < 0 {
		row.Peak, row.Memory = usage.Unknown, usage.Unknown
	}
	for _, base := range w.Bases {
		ratio, _ := Over(compareRounds(rounds, c.Name, base, func(own, base float64) float64 { return own / base }))
		row.Ratios = append(row.Ratios, ratio)
	}
	row.Added, _ = Over(compareRounds(rounds, c.Name, w.Bases[0], func(own, base float64) float64 { return own - base }))
	row.addValues(rounds)
	return row, true
}

// addValues fills in the other known values of the row's trials.
func (row *Row) addValues(rounds []Round) {
	reported := map[string][]float64{}
	for _, round := range rounds {
		r, ok := round[row.Contender]
		if !ok {
			continue
		}
		row.Ops = r.Ops
		if r.Foreign > Quiet {
			row.Disturbed++
		}
		for unit, v := range r.Values {
			reported[unit] = append(reported[unit], v)
		}
	}
	for unit, values := range reported {
		if row.Values == nil {
			row.Values = map[string]float64{}
		}
		row.Values[unit] = Median(values)
	}
}

// column returns a figure of the contender's trials, round by round.
func column(rounds []Round, contender string, figure func(childproc.Result) float64) (values []float64) {
	for _, round := range rounds {
		if r, ok := round[contender]; ok {
			values = append(values, figure(r))
		}
	}
	return values
}

// compareRounds compares the contender's time with the base's, in each round that has both.
func compareRounds(rounds []Round, contender, base string, compare func(own, base float64) float64) (values []float64) {
	for _, round := range rounds {
		own, ok := round[contender]
		other, too := round[base]
		if ok && too && other.Time > 0 {
			values = append(values, compare(own.Time, other.Time))
		}
	}
	return values
}
