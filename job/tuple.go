package job

// The tuples are the result types of twins whose functions have several results before
// the error. Larger ones, which programs rarely spell out, are in package
// statemachine/gentypes.

// Tuple2 holds two results.
type Tuple2[T1, T2 any] struct {
	V1 T1
	V2 T2
}

// Tuple3 holds three results.
type Tuple3[T1, T2, T3 any] struct {
	V1 T1
	V2 T2
	V3 T3
}
