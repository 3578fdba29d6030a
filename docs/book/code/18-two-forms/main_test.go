package main

import (
	"context"
	"math/bits"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/18-two-forms/release"
	"github.com/movenext/movenext/docs/book/code/18-two-forms/testdata/debug"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBothFormsGiveTheSameResult(t *testing.T) {
	for _, sum := range []sumAsync{release.SumAsync, debug.SumAsync} {
		b := job.NewSource[int]()
		j := sum(job.FromResult(1), b.Job())
		b.TrySetResult(10)
		v, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 17, v)
	}
}

// fields returns the names of a frame's fields, those of embedded structs too.
func fields(frame reflect.Type) (names []string) {
	for f := range frame.Fields() {
		if f.Anonymous && f.Type.Name() != "Frame" {
			names = append(names, fields(f.Type)...)
			continue
		}
		names = append(names, f.Name)
	}
	return names
}

// The bytes of the drawing in the chapter.
func TestTheLayoutOfBothForms(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("the drawing is of a 64-bit system")
	}
	assert.Equal(t, []uintptr{168, 104, 64}, sizes(reflect.TypeFor[release.SumMachine](), "builder", "kept"))
	assert.Equal(t, []uintptr{64, 40, 8, 8, 8}, sizes(reflect.TypeFor[release.SumLocals](), "Frame", "b", "await1", "sum"))
	assert.Equal(t, []uintptr{304, 104, 200}, sizes(reflect.TypeFor[debug.SumMachine](), "builder", "kept"))
	assert.Equal(t, []uintptr{200, 40, 8, 8, 8, 16, 8, 64, 8, 8, 8, 8, 16}, sizes(reflect.TypeFor[debug.SumFrame](),
		"Frame", "a", "b", "first", "err", "await1", "words", "sum", "second", "await2", "result0", "result1"))
}

// sizes returns the size of a struct, and those of its fields.
func sizes(of reflect.Type, names ...string) []uintptr {
	all := []uintptr{of.Size()}
	for _, name := range names {
		f, _ := of.FieldByName(name)
		all = append(all, f.Type.Size())
	}
	return all
}

// Exercise 1: after the first wait, first and words are needed up to the sum, and a not at all.
// All of that happens in one part, so these variables are on the stack.
func TestExercise1WhatAMachineKeeps(t *testing.T) {
	assert.Equal(t, []string{"Frame", "b", "await1", "sum"}, fields(reflect.TypeFor[release.SumLocals]()))
	assert.Subset(t, fields(reflect.TypeFor[debug.SumFrame]()), []string{"a", "b", "first", "err", "words", "sum", "second"})
}

// Exercise 2: the array costs 64 bytes in the form that keeps it, and nothing in the other.
func TestExercise2TheArray(t *testing.T) {
	words, kept := reflect.TypeFor[debug.SumFrame]().FieldByName("words")
	require.True(t, kept)
	assert.Equal(t, 8*reflect.TypeFor[int]().Size(), words.Type.Size())
	_, kept = reflect.TypeFor[release.SumFrame]().FieldByName("words")
	assert.False(t, kept)
}
