package metrics

// Histogram counts values in buckets, like package runtime/metrics: bucket i counts the values
// from Bounds[i-1] up to, but not including, Bounds[i]. Histograms share their Bounds, which must
// not be changed.
type Histogram struct {
	Bounds []float64 // of all buckets; the last bucket has no upper bound
	Counts []uint64
	Sum    float64 // of all values
}

// Count returns the number of values.
func (h Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Quantile returns an upper bound for the share q of the values, from 0 to 1: the upper bound of
// the bucket in which that share is reached. For the last bucket that is the largest bound;
// without values it is 0.
func (h Histogram) Quantile(q float64) float64 {
	all := h.Count()
	if all == 0 || len(h.Bounds) == 0 {
		return 0
	}
	var below uint64
	for i, c := range h.Counts[:len(h.Bounds)] {
		if below += c; float64(below) >= q*float64(all) && below > 0 {
			return h.Bounds[i]
		}
	}
	return h.Bounds[len(h.Bounds)-1]
}
