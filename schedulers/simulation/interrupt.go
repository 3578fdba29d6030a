package simulation

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// Interrupt offers f as one more turn of each choice until it is chosen, and
// takes that turn when nothing else is possible. So f is called at any point of
// the program, perhaps after some time has passed. It is meant for the end of a
// context:
//
//	ctx, cancel := context.WithCancel(context.Background())
//	s := simulation.New(seed, simulation.Interrupt(cancel))
//
// f is called once, by the goroutine of a step, and must not block or use the
// scheduler. With [Outside], f is called only while something else can run.
func Interrupt(f func()) Option {
	return func(s *Scheduler) { s.interrupt = dispatch.NewHook0("simulation.Interrupt", f) }
}

// interruption is the interrupt in the form of a timer that expires.
type interruption struct{ hook schedulers.Hook[struct{}] }

// Expire implements [schedulers.Expirer].
func (i *interruption) Expire(*schedulers.Timer) { i.hook.Call(struct{}{}) }

// String returns the name of the interrupt in a report.
func (*interruption) String() string { return "interrupt" }

// takeInterrupt returns the interrupt, which is no longer offered then; mu is held.
func (s *Scheduler) takeInterrupt() *interruption {
	i := &interruption{s.interrupt}
	s.interrupt = schedulers.Hook[struct{}]{}
	return i
}
