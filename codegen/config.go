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
	// of the frame, under its own name and until the end. Debuggers find the lines of
	// the source by the full names of its files.
	Debug Mode = "debug"
	// Plain generates twins that run the plain function on a goroutine. This is the
	// same program in another execution, with which tests compare the machines.
	Plain Mode = "plain"
)

// String and Set make a Mode a flag.Value.
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

// Config says what to load and what to make of it. The zero value generates
// state machines for the packages of the current folder's module.
type Config struct {
	// Dir is the folder in which patterns are resolved; empty is the current one.
	Dir string

	// Mode defaults to Release.
	Mode Mode

	// Tags, GOOS and GOARCH select the files that are loaded, as for go build. A
	// generated file carries the constraints of its source, so files for other
	// systems need a run of their own with these set; no run disturbs another's files.
	Tags         []string
	GOOS, GOARCH string

	// Env is the environment of the go command; nil is this process's.
	Env []string

	// Overlay replaces the contents of files on disk, by absolute path.
	Overlay map[string][]byte

	// DryRun computes everything and writes nothing.
	DryRun bool

	// Overwrite replaces and removes generated files also if they were edited by hand,
	// which is a finding otherwise.
	Overwrite bool

	// Accept are the names of durable functions whose changes are accepted (see [Result]),
	// which an error answers for names that there are not. With Strand, instances that
	// cannot be resumed are left behind, stuck.
	Accept []string
	Strand bool

	// Cache is a folder for results that the next run can use; empty for none. With it,
	// a run whose inputs are unchanged ends before any package is loaded, and any other
	// run generates only the packages that depend on a change. Any number of runs may
	// share it.
	Cache string

	// Progress, if not nil, is called as steps of the run are done: how many of how
	// many, which is 0 while packages are being loaded and none is known. Calls
	// come from several goroutines, though never two at the same time.
	Progress func(done, of int)
}

func (c *Config) progress(done, of int) {
	if c.Progress != nil {
		c.Progress(done, of)
	}
}

func (c *Config) mode() Mode {
	if c.Mode == "" {
		return Release
	}
	return c.Mode
}

// GoCommand returns the environment and the build flags with which the go command loads
// what c selects.
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
	if len(c.Tags) == 0 {
		return nil
	}
	return []string{"-tags=" + strings.Join(c.Tags, ",")}
}

// settings are the part of c that says what is loaded.
func (c *Config) settings() *load.Settings {
	env, flags := c.GoCommand()
	return &load.Settings{Dir: c.Dir, Env: env, Flags: flags, Overlay: c.Overlay}
}

// cache is the cache for a run, nil if it is not to use one.
func (c *Config) cache(patterns []string) *cache.Cache {
	if len(c.Accept) > 0 {
		return nil
	}
	return cache.Open(&cache.Settings{Folder: c.Cache, Load: c.settings(), Patterns: patterns, Mode: string(c.mode())})
}
