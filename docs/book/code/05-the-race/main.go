// A continuation is added while the operation completes: lost by a flag and a
// list, kept by one word.
package main

import "fmt"

func main() {
	b := &broken{}
	b.between = b.complete
	resumed := false
	b.onCompleted(func() { resumed = true })
	fmt.Println("flag and list: completed", b.isCompleted(), "resumed", resumed)

	// The same order for the list: complete comes between steps 2 and 4 of add. Step 4
	// fails, and the next turn finds the list closed.
	var l list
	h := l.head.Load()
	l.complete()
	fmt.Println("one word: step 4 succeeds", l.head.CompareAndSwap(h, &node{next: h}), "then added", l.add(&node{}))
}
