package statemachine

// The runtime works with code generated for the contracts ContractMin to ContractMax.
// Each generated file states its contract in an expression that does not compile
// outside that range. Old code thus meets a new runtime as a compile error with a name
// in it, never as a wrong program:
//
//	const (
//		_ = uint(statemachine.ContractMax - 1)
//		_ = uint(1 - statemachine.ContractMin)
//	)
//
// The numbers count what was released. Before the first release there is no old file to
// protect, so both stay 1, however generated code changes: a program that follows the
// main branch generates again.
const (
	ContractMin = 1
	ContractMax = 1
)
