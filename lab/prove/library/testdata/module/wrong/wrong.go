// Package wrong has a type error.
package wrong

// Number returns none.
func Number() int { return "" }
