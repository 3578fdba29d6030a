package main

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
)

// greet is the function that becomes a machine.
func greet(name *job.Job[string]) (string, error) {
	text, err := name.Await()
	return "hello, " + text, err
}

// greetMachine is greet with one await: two parts, and the values that the second part needs.
type greetMachine struct {
	resumable
	state int

	name   *job.Job[string]        // the parameter
	await1 awaiter.Awaiter[string] // what is awaited

	result *job.Source[string]
}

func greetByHand(name *job.Job[string]) *job.Job[string] {
	m := &greetMachine{name: name, result: job.NewSource[string]()}
	m.machine = m
	m.MoveNext()
	return m.result.Job()
}

// MoveNext runs one part.
func (m *greetMachine) MoveNext() {
	switch m.state {
	case 0:
		m.await1 = m.name.GetAwaiter()
		if !m.await1.IsCompleted() {
			m.state = 1
			m.await1.OnCompleted(m)
			return
		}
		fallthrough // it has arrived: no need to stop
	case 1:
		text, err := m.await1.GetResult()
		m.await1 = nil
		m.result.TrySet("hello, "+text, err)
	}
}
