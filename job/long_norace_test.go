//go:build !race

package job

const long = 1_000_000
