package statemachine

import _ "github.com/movenext/movenext/statemachine/gentypes" // so that a vendor folder has it in the first run

// The runtime works with code generated for the contracts ContractMin to ContractMax.
// Each generated file states its contract in an expression that does not compile outside
// that range. So old code with a new runtime is a compile error that contains a name,
// never a wrong program:
//
//	const (
//		_ = uint(statemachine.ContractMax - 1)
//		_ = uint(1 - statemachine.ContractMin)
//	)
//
// The numbers count released contracts. Before the first release there are no old files
// to protect, so both stay 1, however generated code changes: a program that follows the
// main branch has to generate again.
const (
	ContractMin = 1
	ContractMax = 1
)
