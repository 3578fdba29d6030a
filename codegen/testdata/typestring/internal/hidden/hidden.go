// Package hidden may be imported by its neighbours.
package hidden

type T struct{}
