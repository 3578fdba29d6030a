package policy

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository is the tree that this file is part of.
var repository = sync.OnceValues(func() (*Tree, error) { return Open("../..") })

// TestRepository applies the rules to the repository. Each finding includes a way to fix it.
func TestRepository(t *testing.T) {
	tree, err := repository()
	require.NoError(t, err)
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			for _, f := range Apply(tree, rule) {
				t.Error(f)
			}
			if t.Failed() {
				t.Log("why:", rule.Why)
			}
		})
	}
}

// A row about an unlisted package would silently enforce nothing.
func TestEachRowNamesKnownPackages(t *testing.T) {
	known := map[string]bool{}
	for _, name := range append(append([]string{}, existing...), planned...) {
		assert.False(t, known[name], "%s is listed twice", name)
		known[name] = true
	}
	folders := []string{"...", "examples/...", "docs/...", "internal/...", "internal/policy/..."}
	for _, row := range house {
		assert.NotEmpty(t, row.Because)
		for _, patterns := range [][]string{row.From, row.Except, row.Never} {
			for _, p := range patterns {
				assert.True(t, matches(folders, p) || known[p] || known[trimDots(p)], "%s is neither existing nor planned", p)
			}
		}
	}
}
