package runner

import (
	"slices"

	"github.com/movenext/movenext/lab/bench/internal/stats"
)

// disturbance returns the largest use of the machine by other processes during a trial of a
// round.
func disturbance(round stats.Round) float64 {
	most := 0.0
	for _, r := range round {
		most = max(most, r.Foreign)
	}
	return most
}

// quiet counts the undisturbed rounds.
func quiet(rounds []stats.Round) int {
	n := 0
	for _, round := range rounds {
		if disturbance(round) <= stats.Quiet {
			n++
		}
	}
	return n
}

// quietest returns the n least disturbed rounds, in the order in which they ran.
func quietest(rounds []stats.Round, n int) []stats.Round {
	if len(rounds) <= n {
		return rounds
	}
	order := make([]int, len(rounds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch da, db := disturbance(rounds[a]), disturbance(rounds[b]); {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	})
	kept := order[:n]
	slices.Sort(kept)
	var all []stats.Round
	for _, i := range kept {
		all = append(all, rounds[i])
	}
	return all
}
