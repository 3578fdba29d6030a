package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAListIsReadAsItIsDescribed(t *testing.T) {
	list, err := parseList(`# A comment.

[a/a.go]
kill ./a
kill ./b -tags=x -run=Y

first T.F: it holds
- old
- 	text
+ new
kill ./c

second: nothing is lost
- gone
= no test
= can tell

[b.go]
third: it is another file
- x
+ 
kill ./b
`)
	require.NoError(t, err)
	assert.Equal(t, []mutation{
		{name: "first", file: "a/a.go", function: "T.F", invariant: "it holds", old: "old\n\ttext", new: "new", commands: []command{"./c", "./a", "./b -tags=x -run=Y"}, line: 7},
		{name: "second", file: "a/a.go", invariant: "nothing is lost", old: "gone", commands: []command{"./a", "./b -tags=x -run=Y"}, equivalent: "no test can tell", line: 13},
		{name: "third", file: "b.go", invariant: "it is another file", old: "x", commands: []command{"./b"}, line: 19},
	}, list)
}

func TestAListThatCannotBeReadSaysWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"name: before any file", "1: neither"},
		{"[a.go]\nnonsense", "2: neither"},
		{"[a.go]\nkill ./a\nx: y\n\n", "4: x has no old text"},
		{"[a.go]\nkill ./a\nx: y\n- a\n+ a", "5: x changes nothing"},
		{"[a.go]\nx: y\n- a\n+ b", "4: x has no command"},
		{"[a.go]\nkill ./a\nx: y\n+ b\n- a", "5: in an entry"},
		{"[a.go]\nkill ./a\nx: y\n- a\n\nx: y\n- b", "6: the name x is taken by line 3"},
		{"[a.go]\nkill ./a\nx: y\nno mark", "4: in an entry"},
	} {
		_, err := parseList(c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestADigestChangesWithWhatIsMutated(t *testing.T) {
	m := mutation{name: "m", file: "f", old: "a", new: "b", commands: []command{"./a"}}
	before := m.digest()
	m.name, m.invariant, m.commands = "n", "i", nil
	assert.Equal(t, before, m.digest())
	m.new = "c"
	assert.NotEqual(t, before, m.digest())
}

const source = `package a

func (t *T[K, V]) F() { one() }

func (t T) G() { one() }

func F() { one(); two() }
`

func TestTheOldTextIsFoundInItsFunction(t *testing.T) {
	for _, c := range []struct{ function, old, want string }{
		{"T.F", "one()", "func (t *T[K, V]) F() { zero() }"},
		{"T.G", "one()", "func (t T) G() { zero() }"},
		{"F", "one()", "func F() { zero(); two() }"},
		{"", "two()", "func F() { one(); zero() }"},
	} {
		m := mutation{function: c.function, old: c.old, new: "zero()"}
		text, err := m.apply(source)
		require.NoError(t, err)
		assert.Contains(t, text, c.want)
	}
}

func TestAnEntryThatDoesNotApplyIsStale(t *testing.T) {
	for _, c := range []struct{ function, old, want string }{
		{"", "one()", "is there 3 times"},
		{"F", "three()", "is there 0 times"},
		{"G", "one()", "there is no function G"},
	} {
		_, err := (&mutation{function: c.function, old: c.old}).apply(source)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := (&mutation{name: "m", file: "missing.go"}).mutate(t.TempDir())
	assert.ErrorContains(t, err, "m is stale")
}
