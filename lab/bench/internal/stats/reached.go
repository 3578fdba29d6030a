package stats

import "github.com/movenext/movenext/lab/bench/suite"

// Reached is a target and the figure that was measured.
type Reached struct {
	Work   string       `json:"work"`
	Target suite.Target `json:"target"`
	Value  float64      `json:"value"`
	Known  bool         `json:"known"` // false: the contender or its base has no figure
}

// Verdict is "goal", "ship", "missed" or, without a figure, "unknown".
func (r Reached) Verdict() string {
	switch {
	case !r.Known:
		return "unknown"
	case r.Value <= r.Target.Goal:
		return "goal"
	case r.Value <= r.Target.Ship:
		return "ship"
	}
	return "missed"
}

// Targets compares a table with the targets of its work. It leaves out targets whose
// contender was not measured.
func (t *Table) Targets(w *suite.Work) []Reached {
	var all []Reached
	for _, target := range w.Targets {
		row := t.row(target.Contender)
		if row == nil {
			continue
		}
		r := Reached{Work: t.ID, Target: target}
		r.Value, r.Known = t.figure(target, row)
		all = append(all, r)
	}
	return all
}

func (t *Table) row(contender string) *Row {
	for i := range t.Rows {
		if t.Rows[i].Contender == contender {
			return &t.Rows[i]
		}
	}
	return nil
}

// figure returns the figure that a target names; false: it is not known.
func (t *Table) figure(target suite.Target, row *Row) (float64, bool) {
	if row.Failed != "" {
		return 0, false
	}
	switch target.Figure {
	case suite.PeakMB:
		return row.Peak / 1e6, row.Peak >= 0
	case suite.Allocated:
		return row.Bytes, true
	case suite.Reported:
		v, ok := row.Values[target.Unit]
		return v, ok
	}
	base := t.row(target.Base)
	if base == nil || base.Failed != "" {
		return 0, false
	}
	switch target.Figure {
	case suite.PeakRatio:
		return row.Memory / base.Memory, row.Memory >= 0 && base.Memory > 0
	case suite.More:
		return row.Added.Median, true
	}
	for i, name := range t.Bases {
		if name == target.Base && row.Ratios[i] != (Spread{}) {
			return row.Ratios[i].Median, true
		}
	}
	return 0, false
}
