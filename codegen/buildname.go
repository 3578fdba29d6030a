package codegen

import (
	"go/build"
	"io"
	"strings"
)

// Only go/build knows which file names imply a system or an architecture, by a list
// that it does not export and that grows with Go. So we ask it.

//
// Its rule has two halves: x_OS, x_ARCH and x_OS_ARCH are built for that system. But
// before an ARCH only the name of an OS counts, and after an OS only the name of an
// ARCH. So each kind is recognised by whether the other one, which is known for
// certain, still decides.

// isSystem reports whether x_name.go is built for one GOOS only.
func isSystem(name string) bool { return !built("x_"+name+"_amd64.go", "none", "amd64") }

// isArchitecture reports whether x_name.go is built for one GOARCH only.
func isArchitecture(name string) bool { return !built("x_linux_"+name+".go", "none", name) }

// built reports whether go/build would build an empty file called name.
func built(name, goos, goarch string) bool {
	context := build.Context{
		GOOS:   goos,
		GOARCH: goarch,
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		},
	}
	ok, err := context.MatchFile("", name)
	return ok && err == nil
}
