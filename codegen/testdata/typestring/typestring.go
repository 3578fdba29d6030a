// Package typestring holds variables, each with its type as a generated file
// writes it.
package typestring

import (
	"bytes"
	"context"
	"io"
	str "strings"
	"testing"
	"unsafe"

	"github.com/movenext/movenext/codegen/testdata/typestring/internal/hidden"
)

type (
	local             struct{}
	pair[K, V any]    struct{}
	alias             = map[string]local
	aliased[T any]    = []pair[T, error]
	byte              string
	number            interface{ ~int | ~float64 }
	unexportedBuilder = str.Builder
)

//movenext:async
func use[P number, Q ~[]P | *str.Reader](t *testing.T, p P, q Q) {
	type inner int
	var (
		_a01 int                                     // int
		_a02 error                                   // error
		_a03 any                                     // any
		_a04 byte                                    // byte
		_a05 []uint8                                 // []uint8
		_a06 bool                                    // bool
		_a07 rune                                    // rune
		_a08 unsafe.Pointer                          // unsafe.Pointer
		_a09 local                                   // local
		_a10 alias                                   // alias
		_a11 aliased[int]                            // aliased[int]
		_a12 unexportedBuilder                       // unexportedBuilder
		_a13 P                                       // P
		_a14 pair[Q, []P]                            // pair[Q, []P]
		_a15 *bytes.Buffer                           // *bytes.Buffer
		_a16 str.Builder                             // str.Builder
		_a17 [3]map[local][]*P                       // [3]map[local][]*P
		_a18 chan<- chan int                         // chan<- chan int
		_a19 chan (<-chan int)                       // chan (<-chan int)
		_a20 <-chan (<-chan int)                     // <-chan <-chan int
		_a21 chan func()                             // chan func()
		_a22 func(int, ...string) (n int, err error) // func(int, ...string) (int, error)
		_a23 func(func()) func(...any) (x int)       // func(func()) func(...any) int
		_a24 struct{}                                // struct{}
		_a25 struct{ a, b int }                      // struct{ a int; b int }
		_a26 struct {
			*local
			io.Reader
			n int "tag"
		} // struct{ *local; io.Reader; n int "tag" }
		_a27 interface {
			m(x int) error
			io.Reader
		} // interface{m(int) error; io.Reader}
		_a28 interface{}                                      // interface{}
		_a29 context.CancelFunc                               // context.CancelFunc
		_a30 hidden.T                                         // hidden.T
		_a31 inner                                            // error: type github.com/movenext/movenext/codegen/testdata/typestring.inner cannot be named here: it is declared inside a function
		_a32 []pair[int, inner]                               // error: type github.com/movenext/movenext/codegen/testdata/typestring.inner cannot be named here: it is declared inside a function
		_a35 = bytes.TrimSpace                                // func([]uint8) []uint8
		_a36 = hidden.Unexported()                            // error: type github.com/movenext/movenext/codegen/testdata/typestring/internal/hidden.t cannot be named here: package github.com/movenext/movenext/codegen/testdata/typestring/internal/hidden does not export it
		_a37 = hidden.Aliased()                               // hidden.Alias
		_a38 = hidden.UnexportedAlias()                       // []hidden.T
		_a39 = hidden.Field()                                 // error: type struct{f int} cannot be named here: field f belongs to package github.com/movenext/movenext/codegen/testdata/typestring/internal/hidden
		_a40 = hidden.Method()                                // error: type interface{m()} cannot be named here: method m belongs to package github.com/movenext/movenext/codegen/testdata/typestring/internal/hidden
		_a33 = testing.Benchmark                              // func(func(*testing.B)) testing.BenchmarkResult
		_a34 = func() (u struct{ t *testing.T }) { return u } // func() struct{ t *testing.T }
	)
	_, _, _, _, _, _, _, _ = _a01, _a02, _a03, _a04, _a05, _a06, _a07, _a08
	_, _, _, _, _, _, _, _ = _a09, _a10, _a11, _a12, _a13, _a14, _a15, _a16
	_, _, _, _, _, _, _, _ = _a17, _a18, _a19, _a20, _a21, _a22, _a23, _a24
	_, _, _, _, _, _, _, _ = _a25, _a26, _a27, _a28, _a29, _a30, _a31, _a32
	_, _, _, _, _, _, _, _ = _a33, _a34, _a35, _a36, _a37, _a38, _a39, _a40
}
