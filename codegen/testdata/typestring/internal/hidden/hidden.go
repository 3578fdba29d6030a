// Package hidden may be imported by its neighbours.
package hidden

type T struct{}

type t struct{}

type Alias = t

type alias = []T

func Unexported() *t           { return nil }
func Aliased() Alias           { return t{} }
func UnexportedAlias() alias   { return nil }
func Field() struct{ f int }   { return struct{ f int }{} }
func Method() interface{ m() } { return nil }
