package main

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
)

// total has one await, which runs many times.
func total(parts []*job.Job[int]) (int, error) {
	all := 0
	for _, part := range parts {
		n, err := part.Await()
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}

// totalMachine has a field for the loop's position, which has no name in the source.
type totalMachine struct {
	resumable
	state int

	parts  []*job.Job[int]
	all    int
	index  int // of the part that is awaited
	await1 awaiter.Awaiter[int]

	result *job.Source[int]
}

func totalByHand(parts []*job.Job[int]) *job.Job[int] {
	m := &totalMachine{parts: parts, result: job.NewSource[int]()}
	m.machine = m
	m.MoveNext()
	return m.result.Job()
}

// MoveNext runs from where the machine stopped to the next part that has not
// arrived, or to the end.
func (m *totalMachine) MoveNext() {
	if m.state == 1 {
		goto resume1
	}
next:
	if m.index == len(m.parts) {
		m.result.TrySet(m.all, nil)
		return
	}
	m.await1 = m.parts[m.index].GetAwaiter()
	if !m.await1.IsCompleted() {
		m.state = 1
		m.await1.OnCompleted(m)
		return
	}
resume1:
	n, err := m.await1.GetResult()
	if err != nil {
		m.result.TrySet(m.all, err)
		return
	}
	m.all += n
	m.index++
	goto next
}
