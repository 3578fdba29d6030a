// Package sample selects one in n of the objects of a program. The selection is stable and
// needs no memory: it depends on the addresses of the objects, which do not change.
package sample

import (
	"math/bits"
	"reflect"
)

// Hash returns a number for an address. All its bits are equally random, so objects can be
// selected by its first bits, or by its product with n.
func Hash(address uintptr) uint64 {
	// Objects of one size are at regular distances, so one multiplication is not enough.
	const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio
	x := uint64(address>>4) * golden
	return (x ^ x>>32) * golden
}

// OneIn reports whether the object is selected, where among is the number of objects of which
// about one is selected; a number below 2 selects all. An object that is selected for one
// number is also selected for all smaller ones. OneIn does not divide.
func OneIn(among uint64, pointer any) bool {
	if among < 2 {
		return true
	}
	part, _ := bits.Mul64(Hash(reflect.ValueOf(pointer).Pointer()), among)
	return part == 0
}
