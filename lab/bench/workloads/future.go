package workloads

// future is how Go programs usually get a result from a goroutine: a channel of capacity one.
// Closing it, instead of sending, lets many readers read the result many times.
type future struct {
	value int
	done  chan struct{}
}

func start(f func() int) *future {
	t := &future{done: make(chan struct{})}
	go func() {
		t.value = f()
		close(t.done)
	}()
	return t
}

func (t *future) await() int {
	<-t.done
	return t.value
}

func returnOne() int { return 1 }
