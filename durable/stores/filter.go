package stores

import "time"

// Filter selects instances; zero fields match all.
type Filter struct {
	Function string
	Status   Status
	Labels   map[string]string // an instance must have all of them

	// Created and Updated are periods of the times of that name. An instance that has ended was
	// updated when it ended.
	Created, Updated Period

	After string // only ids greater than this
	Limit int    // 0: 100

	// Bare leaves the checkpoints out: the State of a record is nil, and a durable.Instance has
	// no point and no values. A store then need not read them.
	Bare bool
}

// Period is a span of time. A zero bound is open; with another one, a time that is zero is not in
// the period.
type Period struct {
	From  time.Time // is in it
	Until time.Time // is not in it, like all later times
}

// Contains reports whether a time is in the period.
func (p Period) Contains(t time.Time) bool {
	if p == (Period{}) {
		return true
	}
	return !t.IsZero() && !t.Before(p.From) && (p.Until.IsZero() || t.Before(p.Until))
}

// Matches reports whether a filter selects a record.
func (f Filter) Matches(r *Record) bool {
	for k, v := range f.Labels {
		if got, ok := r.Labels[k]; !ok || got != v {
			return false
		}
	}
	return (f.Function == "" || f.Function == r.Function) && (f.Status == "" || f.Status == r.Status) && r.ID > f.After &&
		f.Created.Contains(r.Created) && f.Updated.Contains(r.Updated)
}

// Most returns the maximum number of records that a filter selects.
func (f Filter) Most() int {
	if f.Limit <= 0 {
		return 100
	}
	return f.Limit
}
