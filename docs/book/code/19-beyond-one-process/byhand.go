package main

import (
	"encoding/json"
	"fmt"
)

// world is where effects happen. It outlives the processes.
type world struct {
	effects map[string]int // by name: how often
	known   map[string]bool
	keyed   bool // a known key has no further effect
}

func newWorld(keyed bool) *world {
	return &world{effects: map[string]int{}, known: map[string]bool{}, keyed: keyed}
}

func (w *world) do(effect, key string) {
	if w.keyed && w.known[key] {
		return
	}
	w.known[key] = true
	w.effects[effect]++
}

// saved is an order as data: a state number, and the values that are needed from there on.
type saved struct {
	State int
	Item  string
	Held  string
	Paid  string
}

// disk is the remainder of a process that dies: one document.
type disk []byte

// load returns the order as it was last saved.
func (d disk) load() (o saved) {
	if err := json.Unmarshal(d, &o); err != nil {
		panic(err) // we have written it ourselves
	}
	return o
}

// save replaces the document.
func (d *disk) save(o saved) {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it is a struct of strings
	}
	*d = text
}

// died reports that the process is gone.
type died struct{}

// moveNext runs the step of the state, and advances to the next one.
func (o *saved) moveNext(w *world, dies func(step string)) (finished bool) {
	key := fmt.Sprint("order-1/", o.State) // the same whenever this step is repeated
	switch o.State {
	case 0:
		w.do("reserve", key)
		o.Held = "a " + o.Item
		dies("reserve")
	case 1:
		w.do("charge", key)
		o.Paid = "for " + o.Held
		dies("charge")
	}
	o.State++
	return o.State == 2
}

// process runs an order from its document until it ends or dies.
func process(d *disk, w *world, dies func(step string)) (o saved, ended bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, dead := v.(died); !dead {
				panic(v)
			}
		}
	}()
	for o = d.load(); o.State < 2; {
		o.moveNext(w, dies)
		d.save(o)
	}
	return o, true
}

// survive runs an order in as many processes as it takes. The first one dies in a step, after
// its effect and before that is saved.
func survive(w *world, fatal string) (o saved, processes int) {
	var d disk
	d.save(saved{Item: "cup"})
	for ended := false; !ended; processes++ {
		o, ended = process(&d, w, func(step string) {
			if step == fatal && processes == 0 {
				panic(died{})
			}
		})
	}
	return o, processes
}
