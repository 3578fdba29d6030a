// A task waits for tasks of its own pool, which has one worker. What can a pool do?
package main

import "fmt"

// story runs a task that starts three others and waits for the first, and returns the
// order in which they ran.
func story(r remedies) (order string, started int, err error) {
	p := newPool(1, r)
	outer := p.start(func(w *worker) {
		first := p.start(func(*worker) { order += "1" })
		second := p.start(func(*worker) { order += "2" })
		third := p.start(func(*worker) { order += "3" })
		if err = w.wait(first); err != nil {
			return
		}
		for _, t := range []*task{second, third} {
			err = w.wait(t)
		}
	})
	<-outer.ended
	p.drain()
	return order, p.started, err
}

func main() {
	for _, c := range []struct {
		name string
		r    remedies
	}{
		{"no remedy:    ", remedies{}},
		{"in place:     ", remedies{inPlace: true}},
		{"another worker:", remedies{inject: true}},
	} {
		order, started, err := story(c.r)
		fmt.Printf("%-16s order %s, workers started: %d, %v\n", c.name, order, started, err)
	}
}
