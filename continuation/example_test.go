package continuation_test

import (
	"fmt"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

type greeter struct {
	continuation.Node
	name string
}

func (g *greeter) Completed(schedulers.Worker) continuation.Chain {
	fmt.Println("hello,", g.name)
	return continuation.Chain{}
}

func Example() {
	var waiting continuation.List
	for _, name := range []string{"Ann", "Bob", "Cy"} {
		g := &greeter{name: name}
		g.Prepare(g)
		waiting.Add(&g.Node)
	}
	waiting.Complete().Deliver(nil)

	late := &greeter{name: "Dee"}
	late.Prepare(late)
	fmt.Println("added after completion:", waiting.Add(&late.Node))
	// Output:
	// hello, Ann
	// hello, Bob
	// hello, Cy
	// added after completion: false
}

func ExampleList_Remove() {
	var waiting continuation.List
	ann, bob := &greeter{name: "Ann"}, &greeter{name: "Bob"}
	for _, g := range []*greeter{ann, bob} {
		g.Prepare(g)
		waiting.Add(&g.Node)
	}
	fmt.Println("gave up:", waiting.Remove(&ann.Node))
	waiting.Complete().Deliver(nil)
	fmt.Println("too late:", !waiting.Remove(&bob.Node), waiting.Closed())
	// Output:
	// gave up: true
	// hello, Bob
	// too late: true true
}

func ExampleList_Visit() {
	var waiting continuation.List
	for _, name := range []string{"Ann", "Bob", "Cy"} {
		g := &greeter{name: name}
		g.Prepare(g)
		waiting.Add(&g.Node)
	}
	waiting.Visit(2, func(t continuation.Target) { fmt.Println(t.(*greeter).name, "waits") })
	// Output:
	// Cy waits
	// Bob waits
}

func ExampleChain_Join() {
	var first, second continuation.List
	for list, name := range map[*continuation.List]string{&first: "Ann", &second: "Bob"} {
		g := &greeter{name: name}
		g.Prepare(g)
		list.Add(&g.Node)
	}
	first.Complete().Join(second.Complete()).Deliver(nil)
	// Output:
	// hello, Ann
	// hello, Bob
}
