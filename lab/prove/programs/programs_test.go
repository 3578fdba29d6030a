package programs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProgramsTypeCheckAndAreTheSameForASeed(t *testing.T) {
	for seed := range uint64(50) {
		first, err := Write(seed, "P", Options{})
		require.NoError(t, err)
		require.Empty(t, Check(first))
		second, err := Write(seed, "P", Options{})
		require.NoError(t, err)
		require.Equal(t, first, second)
	}
}

// TestProgramsHoldEveryStatement searches some programs for all kinds of statements: a grammar
// that never writes one proves nothing about it.
func TestProgramsHoldEveryStatement(t *testing.T) {
	var all strings.Builder
	for seed := range uint64(300) {
		source, err := Write(seed, "P", Options{Functions: 2, Statements: 10, DefersSuspend: true, LiteralsSuspend: true, RangeFuncsSuspend: true})
		require.NoError(t, err)
		all.WriteString(source)
	}
	for _, part := range []string{
		"select {", "switch ", ".(type) {", "fallthrough", "goto J", "break L", "continue L", "defer func()", "recover()", "panic(",
		"go Gsend", "range (Gseq(", "range (Gclosed(", "range (map[int]int", "+= ", "++", ":= func(k int)", "[V any]", "if n",
		"&&", "||", "<-Gfull", ".(int)", "append(", "min(", "complex(", "&GS{", "[]byte(", "_ = ", "else if", "var ", "return\n",
		"clear(", "copy(", "delete(", "type T", "const k", "held", "job.Run(ctx", "job.InScope(ctx", "job.Spawn(s", "Gtotal(", "Gadd(", "Gstream(", "Gpairs(", "Gtimes(", "Gcell[", "break B",
		"make(chan int, 1) <-", "close(", ".Pull(t", "GE{", "defer Gcatch(t)", "<<= ", "[][]int{", "map[string]int{", "float64", "(*GS)(nil)", "funcs",
		"VI ~int", "VL ~[]int", "(VL{", ".(VA)", "make(VC, 2)", "Gid[VS](", "[]VP{", "VF(", "range (VM{", "range (VC(", "range (Gtwos(", " = range (Gpairs(", "[:1+(", "Gkept{", "Gapply(t, Gwrap(",
	} {
		if !strings.Contains(all.String(), part) { // assert.Contains would print them all
			t.Errorf("no program holds %q", part)
		}
	}
}

func TestMendMentionsWhatNothingReads(t *testing.T) {
	source, err := Mend("package batch\n\nfunc PRun() {\n\tn, s := 1, 2\n\t_ = s\n\tvar x int\n}\n")
	require.NoError(t, err)
	assert.Empty(t, Check(source))
	_, err = Mend("package batch\n\nfunc PRun() { undefined() }\n")
	require.Error(t, err)
}
