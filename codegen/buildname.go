package codegen

import (
	"go/build"
	"io"
	"strings"
)

// Which file names imply a system or an architecture is known to go/build alone,
// by a list that it does not export and that grows with Go. So it is asked.

// isSystem reports whether x_name.go is built for one GOOS only.
func isSystem(name string) bool { return !matches(name, "none", "none") && matches(name, name, "none") }

// isArchitecture reports whether x_name.go is built for one GOARCH only.
func isArchitecture(name string) bool {
	return !matches(name, "none", "none") && matches(name, "none", name)
}

// matches reports whether go/build would build x_name.go for a system.
func matches(name, goos, goarch string) bool {
	context := build.Context{
		GOOS:   goos,
		GOARCH: goarch,
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		},
	}
	ok, err := context.MatchFile("", "x_"+name+".go")
	return ok && err == nil
}
