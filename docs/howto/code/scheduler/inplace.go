package main

import "github.com/movenext/movenext/schedulers"

// MayRunInPlace lets a job that waits on this scheduler for a job queued here run it itself.
func (s *Newest) MayRunInPlace(_ schedulers.Work, by schedulers.Worker) bool {
	return by == worker{s}
}
