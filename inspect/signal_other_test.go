//go:build !unix

package inspect_test

const asChild = "MOVENEXT_TEST_HANGS"

func hangForever() {}
