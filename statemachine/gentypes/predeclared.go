package gentypes

// The predeclared types, for generated code in packages that declare their names otherwise.

// Bool is bool.
type Bool = bool

// String is string.
type String = string

// Int is int.
type Int = int

// Int8 is int8.
type Int8 = int8

// Int16 is int16.
type Int16 = int16

// Int32 is int32.
type Int32 = int32

// Int64 is int64.
type Int64 = int64

// Uint is uint.
type Uint = uint

// Uint8 is uint8.
type Uint8 = uint8

// Uint16 is uint16.
type Uint16 = uint16

// Uint32 is uint32.
type Uint32 = uint32

// Uint64 is uint64.
type Uint64 = uint64

// Uintptr is uintptr.
type Uintptr = uintptr

// Float32 is float32.
type Float32 = float32

// Float64 is float64.
type Float64 = float64

// Complex64 is complex64.
type Complex64 = complex64

// Complex128 is complex128.
type Complex128 = complex128

// Byte is byte.
type Byte = byte

// Rune is rune.
type Rune = rune

// Error is error.
type Error = error

// Any is any.
type Any = any

// NewOf returns a pointer to a new zero value, for packages that declare new otherwise.
func NewOf[T any]() *T { return new(T) }
