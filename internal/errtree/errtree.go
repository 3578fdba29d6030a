// Package errtree judges an error by all of its leaves.
//
// errors.Is asks whether one of the errors in a tree matches. That is the right question for
// code that looks for a certain failure, and the wrong one for code that is going to ignore an
// error: errors.Join(ctx.Err(), errFlush) matches the end of ctx, and errFlush is a failure.
package errtree

import (
	"reflect"
	"slices"
)

// ConsistsOf reports whether each leaf of the tree of err matches one of targets, so that nothing
// is lost with err if the targets mean no failure. A leaf matches by being equal to a target or
// by its method Is, as for errors.Is. An inner error matches by being equal alone: its method Is
// speaks for itself and not for what it wraps. A nil error has no leaf, and does not match.
func ConsistsOf(err error, targets ...error) bool {
	if err == nil {
		return false
	}
	if slices.ContainsFunc(targets, func(t error) bool { return equal(err, t) }) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return ConsistsOf(inner, targets...)
		}
	case interface{ Unwrap() []error }:
		all := slices.DeleteFunc(slices.Clone(e.Unwrap()), func(e error) bool { return e == nil })
		if len(all) > 0 {
			return !slices.ContainsFunc(all, func(e error) bool { return !ConsistsOf(e, targets...) })
		}
	}
	leaf, ok := err.(interface{ Is(error) bool })
	return ok && slices.ContainsFunc(targets, leaf.Is)
}

// equal is err == target, for values too that cannot be compared: the cause of a context may be
// a slice of errors.
func equal(err, target error) bool {
	if target == nil {
		return false
	}
	if reflect.ValueOf(target).Comparable() && reflect.ValueOf(err).Comparable() {
		return err == target
	}
	return reflect.DeepEqual(err, target) //nolint:govet // deepequalerrors: a slice of errors has no other comparison
}
