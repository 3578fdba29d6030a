package main

import "github.com/movenext/movenext/job"

// model is a job as explanations build it: a status, a function, and one other job that follows.
// It is written to be read, and is wrong in three ways.
type model struct {
	name   string
	status job.Status
	fn     func()
	next   *model
}

func newModel(fn func()) *model { return &model{name: "the continuation", fn: fn} }

// run does what the model's scheduler does with a job. It survives a panic, as a worker that runs
// other code's work has to.
func (m *model) run() {
	defer func() { _ = recover() }()
	m.status = job.Running
	m.fn() // flaw: if it panics, the two lines below do not happen
	m.status = job.Completed
	if m.next != nil {
		m.next.run() // flaw: a continuation that is added after this is in no queue
	}
}

// continueWith adds fn to the end of the chain, and returns the chain's first job.
func (m *model) continueWith(fn func(antecedent *model)) *model {
	if m.next == nil {
		m.next = newModel(func() { fn(m) })
	} else {
		m.next.continueWith(fn) // flaw: it follows the first continuation, not m
	}
	return m
}
