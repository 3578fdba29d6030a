// Package release has functions whose machines are in the release form, the default.
package release

//go:generate go tool movenext .

import "github.com/movenext/movenext/job"

// Sum waits for a and for b. Between the two waits it needs the first result, and no
// longer what led to it.
//
//movenext:async
func Sum(a, b *job.Job[int]) (int, error) {
	first, err := a.Await()
	if err != nil {
		return 0, err
	}
	words := [8]int{first, 1, 2, 3}
	sum := 0
	for _, w := range words {
		sum += w
	}
	second, err := b.Await()
	return sum + second, err
}
