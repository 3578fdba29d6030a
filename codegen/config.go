package codegen

import (
	"fmt"
	"os"
	"strings"

	"github.com/movenext/movenext/codegen/internal/cache"
	"github.com/movenext/movenext/codegen/internal/load"
)

// Mode is the form in which twins are generated.
type Mode string

const (
	// Release generates state machines.
	Release Mode = "release"
	// Debug generates state machines to step through: every local variable is a field
	// of the frame, under its own name, and stays there until the end. Debuggers find the
	// source lines by the full names of the source files.
	Debug Mode = "debug"
	// Plain generates twins that run the plain function on a goroutine. The program is
	// the same, executed differently; tests compare the machines with it.
	Plain Mode = "plain"
)

// String returns the mode's name. String and Set make a Mode a flag.Value.
func (m *Mode) String() string { return string(*m) }

// Set accepts "release", "debug" and "plain".
func (m *Mode) Set(s string) error {
	switch Mode(s) {
	case Release, Debug, Plain:
		*m = Mode(s)
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", Release, Debug, Plain)
}

// Config says which packages to load and what to generate from them. The zero value
// generates state machines for the packages of the current folder's module.
type Config struct {
	// Dir is the folder in which patterns are resolved; empty means the current one.
	Dir string

	// Mode defaults to Release.
	Mode Mode

	// Tags, GOOS and GOARCH select the files to load, as for go build. A generated
	// file carries the constraints of its source, so files for another system need a
	// separate run with these set. No run changes the files of another.
	Tags         []string
	GOOS, GOARCH string

	// Env is the environment of the go command; nil means this process's.
	Env []string

	// Overlay replaces the contents of files on disk, by absolute path.
	Overlay map[string][]byte

	// DryRun computes everything and writes nothing.
	DryRun bool

	// Overwrite also replaces and removes generated files that were edited by hand.
	// Without it, such an edit is a finding.
	Overwrite bool

	// Accept names the durable functions whose changes are accepted (see [Result]).
	// Naming a function that does not exist is an error. With Strand, instances that
	// cannot be resumed are left behind, for workers that know their layout.
	Accept []string
	Strand bool

	// Cache is the folder for results that later runs can use; empty disables caching.
	// With a cache, a run whose inputs are unchanged ends before any package is loaded,
	// and any other run generates only the packages that depend on a change. Any number
	// of runs may share the folder.
	Cache string

	// Progress, if not nil, is called as the run completes its steps, with the number
	// done and the total, which is 0 while packages are loading and it is still unknown.
	// Calls come from several goroutines, but never two at the same time.
	Progress func(done, of int)
}

func (c *Config) progress(done, total int) {
	if c.Progress != nil {
		c.Progress(done, total)
	}
}

func (c *Config) mode() Mode {
	if c.Mode == "" {
		return Release
	}
	return c.Mode
}

// GoCommand returns the environment and the build flags with which the go command loads
// the packages that c selects.
func (c *Config) GoCommand() (env, flags []string) { return c.env(), c.buildFlags() }

func (c *Config) env() []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	env = env[:len(env):len(env)]
	if c.GOOS != "" {
		env = append(env, "GOOS="+c.GOOS)
	}
	if c.GOARCH != "" {
		env = append(env, "GOARCH="+c.GOARCH)
	}
	return env
}

func (c *Config) buildFlags() []string {
	// With -cover in GOFLAGS, the go command would list files that it has rewritten.
	flags := []string{"-cover=false"}
	if len(c.Tags) > 0 {
		flags = append(flags, "-tags="+strings.Join(c.Tags, ","))
	}
	return flags
}

// settings returns the part of c that selects what is loaded.
func (c *Config) settings() *load.Settings {
	env, flags := c.GoCommand()
	return &load.Settings{Dir: c.Dir, Env: env, Flags: flags, Overlay: c.Overlay}
}

// cache returns the cache for a run, or nil if the run must not use one.
func (c *Config) cache(patterns []string) *cache.Cache {
	if len(c.Accept) > 0 {
		return nil
	}
	return cache.Open(&cache.Settings{Folder: c.Cache, Load: c.settings(), Patterns: patterns, Mode: string(c.mode())})
}
