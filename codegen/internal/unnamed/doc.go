// Package unnamed finds expressions from which the compiler infers types that cannot be named:
// unexported types of other packages, and types composed of them.
//
//	v := other.New(ctx)        // of type *other.t
//	pause(ctx)
//	v.Close()
//
// The frame needs a field for v, and Go has no way to write its type. But the type can be
// inferred. So MoveNext has a witness: a nil pointer to the type, which is never dereferenced.
// The field is of type any and contains a pointer to the variable, as if it were captured.
//
//	like1 := fetchLike1(gentypes.Like(other.New))
//	…
//	f.v = gentypes.New(like1)
//	*gentypes.Kept(&f.v, like1) = other.New(f.ctx)
//	…
//	(*gentypes.Kept(&f.v, like1)).Close()
//
// A generic function infers one type from another:
//
//	func fetchLike1[F ~func(A1) R1, A1, R1 any](*F) (_ *R1) { return }
//
// # Derivations
//
// A derivation begins with something that has a name and that the function mentions: a function,
// a variable or a constant of a package, or a type. Each step goes from a type to one that
// belongs to it: the elements of a slice, the results of a function or a method, the field of a
// struct. Since every value of the function comes from somewhere, nearly every type can be
// derived. None of them evaluates anything of the function.
//
//	other.New         func() (*box[t], error)     gentypes.Like(other.New)
//	its result 0      *box[t]                     fetchLike1(…)
//	its target        box[t]                      fetchLike2(…)
//	field Value       t                           &gentypes.New(…).Value
//
// The search is breadth-first, so the first derivation that it finds is the shortest. It is
// bounded: types lead to other types without end, and the relevant ones are close.
//
// A [Derivation] is data, like an instruction. The printer chooses the names of imports and of
// the generic functions, and does so only for those that it prints.
//
// A frame with a type parameter for each such type would be simpler, but does not work:
// MoveNext could not call a method of such a value.
//
// Nothing here is for concurrent use: a function is lowered by one goroutine.
package unnamed
