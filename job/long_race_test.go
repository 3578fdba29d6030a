//go:build race

package job

const long = 100_000
