package metrics

// Histogram counts values in buckets, in the way of package runtime/metrics: bucket i
// has those from Bounds[i-1] up to, and without, Bounds[i]. Histograms share their Bounds,
// which must not be changed.
type Histogram struct {
	Bounds []float64 // of all buckets but the last, which has no upper one
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

// Quantile returns a bound that the part q of all values, from 0 to 1, does not exceed:
// the upper bound of the bucket in which that part is reached. It is the largest bound of
// all for the last bucket, and 0 without values.
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
