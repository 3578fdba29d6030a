package load

import (
	"fmt"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPatternsThatLeadNowhereAreErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"../../testdata/twins/nothing":       "directory not found",
		"../../testdata/twins/twins.go":      "",
		"example.com/no/such/package/at/all": "no required module provides package",
	} {
		_, err := List(&Settings{}, token.NewFileSet(), []string{pattern})
		require.ErrorIs(t, err, errLoad, pattern)
		assert.ErrorContains(t, err, want, pattern)
	}
}

func TestAnOverlayHidesTheDisk(t *testing.T) {
	path, err := filepath.Abs("x.go")
	require.NoError(t, err)
	s := &Settings{Overlay: map[string][]byte{path: []byte("package load")}}
	data, err := s.Read(path)
	require.NoError(t, err)
	assert.Equal(t, "package load", string(data))
	list, err := s.InFolder(filepath.Dir(path))
	require.NoError(t, err)
	assert.Contains(t, list, path)
	_, err = s.Read(filepath.Dir(path))
	assert.ErrorIs(t, err, errIrregular)
}

func TestAFileKeepsItsTreeUntilItsTextChanges(t *testing.T) {
	files := map[string][]byte{"x.go": []byte("package m")}
	ws := &Workspace{Settings: &Settings{Overlay: files}, Fset: token.NewFileSet()}
	first := NewSources(ws).Get("x.go").Syntax
	assert.Same(t, first, NewSources(ws).Get("x.go").Syntax)
	files["x.go"] = []byte("package n")
	assert.Equal(t, "n", NewSources(ws).Get("x.go").Syntax.Name.Name)
}

// The twins of annotated functions have types before they are generated.
func ExampleChecker_Model() {
	path, _ := filepath.Abs(filepath.Join("..", "typeset", "x.go"))
	text := "package typeset\n\n//movenext:async\nfunc wait(n int) error { return nil }\n\n//movenext:async\nfunc again() error { return wait(1) }\n"
	settings := &Settings{Overlay: map[string][]byte{path: []byte(text)}}
	ws, err := List(settings, token.NewFileSet(), []string{filepath.Dir(path)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ws.Add(source.StubPaths...); err != nil {
		fmt.Println(err)
		return
	}
	finder := Find(ws, NewSources(ws), nil)
	variants := finder.Variants(func(string, []source.Diagnostic) {})
	pkg, _ := NewChecker(finder, variants).Model(variants[0])
	for _, fn := range pkg.Files[0].Functions {
		fmt.Println(fn.Object.Name(), pkg.Twins.Twin(fn.Object).Name(), fn.Names.Frame)
	}
	// Output:
	// wait waitAsync waitFrame
	// again againAsync againFrame
}
