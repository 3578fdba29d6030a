package main

import "time"

// ends are the times at which reads end, as a heap: the first one is the earliest.
type ends []time.Duration

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(t any)        { *e = append(*e, t.(time.Duration)) }

func (e *ends) Pop() any {
	last := len(*e) - 1
	t := (*e)[last]
	*e = (*e)[:last]
	return t
}
