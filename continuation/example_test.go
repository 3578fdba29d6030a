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
