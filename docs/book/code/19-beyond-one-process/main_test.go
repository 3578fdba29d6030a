package main

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/durabletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnOrderByHandSurvives(t *testing.T) {
	for _, fatal := range []string{"", "reserve", "charge"} {
		w := newWorld(true)
		o, _ := survive(w, fatal)
		assert.Equal(t, "for a cup", o.Paid)
		assert.Equal(t, map[string]int{"reserve": 1, "charge": 1}, w.effects)
	}
}

// Exercise 1: a process may die between the effect and the write after it, whatever it has written
// before. So the effect happens once more for each process that dies there. The second write
// costs as much as the first, and changes nothing.
func TestExercise1AWriteMoreDoesNotHelp(t *testing.T) {
	w := newWorld(false)
	var d disk
	d.save(saved{Item: "cup"})
	for dying := 2; dying >= 0; dying-- { // two processes die at the same place
		d.save(d.load()) // the write before the step
		_, ended := process(&d, w, func(string) {
			if dying > 0 {
				panic(died{})
			}
		})
		assert.Equal(t, dying == 0, ended)
	}
	assert.Equal(t, map[string]int{"reserve": 3, "charge": 1}, w.effects)
}

// Exercise 2: without keys the durable function reserves twice if it dies after that step, and
// charges twice if it dies after this one, like the handwritten one. The test runs it for each of
// its writes, and dies there.
func TestExercise2TheSameWithoutKeys(t *testing.T) {
	for _, keyed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			most := map[string]int{}
			durabletest.CrashEverywhere(t, durabletest.Case[*shop, string, string]{
				Function: OrderDurable, Plain: (*shop).Order, Request: "cup",
				Receiver: func() *shop { return &shop{newWorld(keyed)} },
				Signals:  []durabletest.Signal{{Name: "approval", Value: true}},
				Check: func(_ testing.TB, s *shop) {
					for effect, times := range s.world.effects {
						most[effect] = max(most[effect], times)
					}
				},
			})
			times := map[bool]int{true: 1, false: 2}[keyed]
			assert.Equal(t, map[string]int{"reserve": times, "charge": times}, most)
		})
	}
}
