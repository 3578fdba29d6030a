package gentypes

// The functions of this file let generated code use values whose types it cannot name: an
// unexported type of another package, or a type composed of such types. A type that cannot be
// named can still be inferred from a value. So machines represent a type by a nil pointer to
// it: a like. A frame keeps such a value in a field of type any, as a pointer to it, so
// that a variable of an interface type keeps that type.

// Like returns a nil pointer to the type of v.
func Like[T any](T) *T { return nil }

// New returns a pointer to a new zero value of the type that like points to.
func New[T any](like *T) *T { return new(T) }

// Kept returns the variable that a field of a frame holds, and makes it if needed. It
// panics if the field holds one of another type, which generated code never does.
func Kept[T any](field *any, like *T) *T {
	if *field == nil {
		*field = new(T)
	}
	return (*field).(*T)
}

// Typed returns v, which assignment converts to the type that like points to.
func Typed[T any](v T, like *T) T { return v }

// Asserted returns v as the type that like points to, and whether it is of that type,
// as an assertion does.
func Asserted[T any](v any, like *T) (T, bool) {
	t, ok := v.(T)
	return t, ok
}
