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
			for _, f := range Apply(tree, rule, exceptions) {
				t.Error(f)
			}
			if t.Failed() {
				t.Log("why:", rule.Why)
			}
		})
	}
}

// An unused exception to a rule that does not exist would never be found.
func TestExceptionsNameARuleAndAReason(t *testing.T) {
	known := map[string]bool{}
	for _, rule := range Rules() {
		known[rule.Name] = true
	}
	for _, e := range exceptions {
		assert.True(t, known[e.Rule], "no rule is named %q", e.Rule)
		assert.NotEmpty(t, e.Place)
		assert.NotEmpty(t, e.Reason, "%s: %s", e.Rule, e.Place)
	}
}

// A row about an unlisted package would silently enforce nothing.
func TestEachRowNamesKnownPackages(t *testing.T) {
	known := map[string]bool{}
	for _, name := range append(append([]string{}, existing...), planned...) {
		assert.False(t, known[name], "%s is listed twice", name)
		known[name] = true
	}
	folders := []string{"...", "examples/...", "docs/...", "internal/...", "internal/policy/...", "tools/..."}
	for _, row := range house {
		assert.NotEmpty(t, row.Because)
		for _, patterns := range [][]string{row.From, row.Except, row.Never} {
			for _, p := range patterns {
				assert.True(t, matches(folders, p) || known[p] || known[trimDots(p)], "%s is neither existing nor planned", p)
			}
		}
	}
}
