package layout

import "slices"

// flow answers queries about the order of points.
type flow struct {
	next  map[string][]string
	names []string
	after map[string]map[string]bool // computed once for each point
}

func flowOf(l *Layout) *flow {
	f := &flow{next: map[string][]string{}, after: map[string]map[string]bool{}}
	for _, p := range l.Points {
		f.names = append(f.names, p.Name)
		f.next[p.Name] = p.Next
	}
	for _, name := range f.names {
		f.after[name] = f.reach(f.next[name], "")
	}
	return f
}

// reach returns the points on all paths from the given points, including those points. The paths
// do not pass through the point without.
func (f *flow) reach(from []string, without string) map[string]bool {
	seen := map[string]bool{}
	for work := slices.Clone(from); len(work) > 0; {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if name != without && !seen[name] {
			seen[name] = true
			work = append(work, f.next[name]...)
		}
	}
	return seen
}

// mayFollow reports whether q can be reached after p.
func (f *flow) mayFollow(p, q string) bool { return f.after[p][q] }

// dominates reports whether each path from the beginning to p passes d.
func (f *flow) dominates(d, p string) bool {
	return d != p && len(f.names) > 0 && !f.reach(f.names[:1], d)[p]
}
