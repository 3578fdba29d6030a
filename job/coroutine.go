package job

import (
	"context"
	"io"
	"iter"
)

// coroutine is a plain sequence that is pulled: it runs on a goroutine of its own, in
// turns with its consumer. Two handoffs make locks on the fields unnecessary: resume
// gives the turn to the sequence, the completion of the step gives it back. iter.Pull
// does not fit: the next pull may come from any goroutine, and must not block.
type coroutine[T any] struct {
	seq    iter.Seq2[T, error]
	resume chan bool // go on (true), or to your end
	step   *Promise[T]
	ending *Promise[Void] // instead of a step, when the sequence must end
	begun  bool
	over   bool
}

// next begins the step to the next value.
func (c *coroutine[T]) next(context.Context) *Job[T] {
	if c.over {
		return FromError[T](io.EOF)
	}
	c.step = new(Promise[T])
	c.step.InitDependent()
	j := c.step.Job()
	if c.begun {
		c.resume <- true
	} else {
		c.begun = true
		go c.run()
	}
	return j
}

// end has the sequence run to its end.
func (c *coroutine[T]) end(context.Context) *Job[Void] {
	if c.over || !c.begun {
		c.over = true
		return FromResult(Void{})
	}
	c.ending = new(Promise[Void])
	c.ending.InitDependent()
	j := c.ending.Job()
	c.resume <- false
	return j
}

// run is the sequence's goroutine.
func (c *coroutine[T]) run() {
	how := ErrGoexit
	defer func() {
		if v := recover(); v != nil {
			how = NewPanicError(v)
		}
		c.over = true
		switch {
		case c.ending == nil:
			var zero T
			c.reply(zero, how)
		case how == io.EOF:
			c.ending.settle(Completed, Void{}, nil)
		default:
			c.ending.settle(Faulted, Void{}, how)
		}
	}()
	c.seq(c.yield)
	how = io.EOF
}

func (c *coroutine[T]) yield(v T, err error) bool {
	if c.ending != nil {
		panic("job: a stream has called yield after it had returned false")
	}
	c.reply(v, err)
	return <-c.resume
}

func (c *coroutine[T]) reply(v T, err error) {
	final := Completed
	if err != nil {
		final = Faulted
	}
	c.step.settle(final, v, err)
}
