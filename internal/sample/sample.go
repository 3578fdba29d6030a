// Package sample chooses one in n of the objects of a program, always the same ones, and
// without memory: by their addresses, which do not change.
package sample

import (
	"math/bits"
	"reflect"
)

// Hash returns a number for an address. Each of its bits is as good as another, so objects
// are chosen by its first bits, or by its product with n.
func Hash(address uintptr) uint64 {
	// Objects of one size lie at regular distances, so one multiplication is not enough.
	const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio
	x := uint64(address>>4) * golden
	return (x ^ x>>32) * golden
}

// OneIn reports whether the object is one of those of which there is one among so many; below
// 2 all are. Those that are selected of more objects are so of fewer, too. There is no division.
func OneIn(among uint64, pointer any) bool {
	if among < 2 {
		return true
	}
	part, _ := bits.Mul64(Hash(reflect.ValueOf(pointer).Pointer()), among)
	return part == 0
}
