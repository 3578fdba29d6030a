package typeset

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImportsThatAreAllowed(t *testing.T) {
	pkg := func(path, name string) *types.Package { return types.NewPackage(path, name) }
	for _, c := range []struct {
		from, path, name string
		want             bool
	}{
		{"app", "fmt", "fmt", true},
		{"app", "internal/abi", "abi", false},
		{"app", "net/http/internal", "internal", false},
		{"app", "vendor/golang.org/x/net/idna", "idna", false},
		{"app", "app/cmd", "main", false},
		{"app/cmd_test", "app/cmd", "main", true},
		{"app", "app/internal", "internal", true},
		{"app/a/b", "app/internal/x", "x", true},
		{"app_test", "app/internal/x", "x", true},
		{"application", "app/internal/x", "x", false},
		{"app/a", "app/b/internal/x", "x", false},
		{"app/b/c", "app/internal/b/internal/x", "x", false},
		{"app", "example.com/internalize", "internalize", true},
	} {
		assert.Equal(t, c.want, Importable(pkg(c.from, "p"), pkg(c.path, c.name)), "%s from %s", c.path, c.from)
	}
}
