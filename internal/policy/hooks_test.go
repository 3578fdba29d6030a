package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHooks(t *testing.T) {
	got := finds(t, "hooks", `
-- schedulers/one/bare.go --
package one
func OnWake(f func()) Option { return func(l *Loop) { l.onWake = f } }
func Name(name string) Option { return nil }
func Each(f func()) int { return 0 }
func onWake(f func()) Option { return nil }
-- coord/kept.go --
package coord
import (
	s "example.com/m/schedulers"
	d "example.com/m/internal/dispatch"
)
func Dropped[T any](f func(T)) ChannelOption[T] { return keep(s.NewHook("coord.Dropped", f)) }
func Told(f func()) x.Option { return keep(d.NewHook0("coord.Told", f)) }
func Lost[T any](f func(T)) ChannelOption[T] { return nil }
-- codegen/other.go --
package codegen
func With(f func()) Option { return nil }
`)
	assert.Equal(t, []string{
		"coord/kept.go:8: the option Lost takes a function and calls it unguarded",
		"schedulers/one/bare.go:2: the option OnWake takes a function and calls it unguarded",
	}, got)
}
