package main

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// Exercise 1: a document that is saved before each step, and again after it, dies in between too.
// It needs two writes where one is enough, and the effect still happens twice.
func TestExercise1AWriteMoreDoesNotHelp(t *testing.T) {
	w := newWorld(false)
	var d disk
	d.save(saved{Item: "cup"})
	for range 2 { // two processes die at the same place
		_, ended := process(&d, w, func(string) { panic(died{}) })
		require.False(t, ended)
		d.save(d.load()) // the write before the step
	}
	assert.Equal(t, 2, w.effects["reserve"])
}

// Exercise 2: without keys the durable function charges twice, like the handwritten one. The test
// runs it once for each of its writes, and dies there.
func TestExercise2TheSameWithoutKeys(t *testing.T) {
	for _, keyed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			most := 0
			durabletest.CrashEverywhere(t, durabletest.Case[*shop, string, string]{
				Function: OrderDurable, Plain: (*shop).Order, Request: "cup",
				Receiver: func() *shop { return &shop{newWorld(keyed)} },
				Signals:  []durabletest.Signal{{Name: "approval", Value: true}},
				Check:    func(_ testing.TB, s *shop) { most = max(most, s.world.effects["charge"]) },
			})
			assert.Equal(t, map[bool]int{true: 1, false: 2}[keyed], most)
		})
	}
}
