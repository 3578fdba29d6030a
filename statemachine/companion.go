package statemachine

// CompanionAt returns the entry of function i of a variadic parameter. list is the companion of
// the parameter; it is nil if none of the functions has an entry.
func CompanionAt[F any](list []F, i int) F {
	if list == nil {
		var none F
		return none
	}
	return list[i]
}
