package main

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
)

// sum has two awaits. The result of the first one must still be there after the second.
func sum(a, b *job.Job[int]) (int, error) {
	x, err := a.Await()
	if err != nil {
		return 0, err
	}
	y, err := b.Await()
	return x + y, err
}

// sumMachine keeps x in a field, because it lives across an await. y and err do
// not, and stay variables.
type sumMachine struct {
	resumable
	state int

	a, b           *job.Job[int]
	x              int
	await1, await2 awaiter.Awaiter[int]

	result *job.Source[int]
}

func sumByHand(a, b *job.Job[int]) *job.Job[int] {
	m := &sumMachine{a: a, b: b, result: job.NewSource[int]()}
	m.machine = m
	m.MoveNext()
	return m.result.Job()
}

// MoveNext runs one part.
func (m *sumMachine) MoveNext() {
	var err error
	switch m.state {
	case 1:
		goto resume1
	case 2:
		goto resume2
	}
	m.await1 = m.a.GetAwaiter()
	if !m.await1.IsCompleted() {
		m.state = 1
		m.await1.OnCompleted(m)
		return
	}
resume1:
	m.x, err = m.await1.GetResult()
	if err != nil {
		m.result.TrySet(0, err)
		return
	}
	m.await2 = m.b.GetAwaiter()
	if !m.await2.IsCompleted() {
		m.state = 2
		m.await2.OnCompleted(m)
		return
	}
resume2:
	y, err := m.await2.GetResult()
	m.result.TrySet(m.x+y, err)
}
