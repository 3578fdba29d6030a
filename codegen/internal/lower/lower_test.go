package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/lower"
	"github.com/movenext/movenext/codegen/internal/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cases are bodies of func f(n int, list []int, m map[string]int) and the resulting listings.
// Lines of the listing are indented only for readability.
var cases = []struct{ name, body, want string }{
	{"calls of machines", `
		use(get(n))
		err := done()
		use(err)
		done()
	`, `
		get2 := await getEnter(r, n)
		use(get2)
		err := await doneEnter(r)
		use(err)
		_ = await doneEnter(r)
		end
	`},
	{"a job", `
		var j *job.Job[int]
		x, err := j.Await()
		use(x, err)
	`, `
		var j
		awaited1 = j
		park resume1 | resumed1
		resume1:
		awaited1 = statemachine.AwaitedJob(r, await1)
		await1 = nil
		resumed1:
		x, err := awaited1.GetResult()
		use(x, err)
		end
	`},
	{"a yield", `
		_ = job.Yield()
		use(1)
	`, `
		park resume1
		resume1:
		_ = r.Refusal()
		use(1)
		end
	`},
	{"a variable is read after the call", `
		global = n + get(1)
	`, `
		get2 := await getEnter(r, 1)
		global = n + get2
		end
	`},
	{"a length is taken before it", `
		use(len(list) + get(1))
	`, `
		len1 := len(list)
		get2 := await getEnter(r, 1)
		use(len1 + get2)
		end
	`},
	{"calls are made before it", `
		use(n, len(m), list[n], get(1), get(2))
	`, `
		len1 := len(m)
		get2 := await getEnter(r, 1)
		get4 := await getEnter(r, 2)
		use(n, len1, list[n], get2, get4)
		end
	`},
	{"and then or", `
		if n > 1 && get(n) > 2 || n < 0 {
			use(n)
		}
	`, `
		if not n > 1 goto cond1
		get2 := await getEnter(r, n)
		if get2 > 2 goto cond2
		cond1:
		if not n < 0 goto endIf1
		cond2:
		use(n)
		endIf1:
		end
	`},
	{"only what is before the condition suspends", `
		if x := get(n); x > n {
			use(x)
		} else if !(x > 1) {
			use(n)
		}
	`, `
		x := await getEnter(r, n)
		if x > n { use(x) } else if !(x > 1) { use(n) }
		end
	`},
	{"else", `
		if n > 1 {
			use(get(n))
		} else {
			use(n)
		}
	`, `
		if not n > 1 goto else1
		get2 := await getEnter(r, n)
		use(get2)
		goto endIf1
		else1:
		{ use(n) }
		endIf1:
		end
	`},
	{"a loop", `
		for i := 0; i < n; i++ {
			if get(i) == 0 {
				continue
			}
			use(func() int { return i })
		}
	`, `
		i := 0
		for1:
		if not i < n goto endFor1
		get2 := await getEnter(r, i)
		if get2 == 0 { goto next1 }
		use(func() int { return i })
		next1:
		renew i
		i++
		goto for1
		endFor1:
		end
	`},
	{"a loop in which nothing suspends stays", `
		for i := range n {
			use(i)
		}
		use(get(n))
	`, `
		for i := range n { use(i) }
		get2 := await getEnter(r, n)
		use(get2)
		end
	`},
	{"a range over a list", `
		for i, x := range list {
			use(i, get(x))
		}
	`, `
		list1 := list
		i := 0
		range1:
		if i >= len(list1) goto endRange1
		x := list1[i]
		get2 := await getEnter(r, x)
		use(i, get2)
		i++
		goto range1
		endRange1:
		end
	`},
	{"a range over a number", `
		for range n {
			use(get(1))
		}
	`, `
		n1 := n
		i1 := 0
		range1:
		if i1 >= n1 goto endRange1
		get2 := await getEnter(r, 1)
		use(get2)
		i1++
		goto range1
		endRange1:
		end
	`},
	{"a range over a map", `
		for k := range m {
			use(k, get(1))
		}
	`, `
		iter1 := reflect.ValueOf(m).MapRange()
		range1:
		if not iter1.Next() goto endRange1
		key1, _ := <ir.IfNamed>iter1.Key().Interface()<ir.IfNamed>
		k := key1
		get2 := await getEnter(r, 1)
		use(k, get2)
		goto range1
		endRange1:
		end
	`},
	{"a switch", `
		switch n {
		case 1:
			use(get(n))
			fallthrough
		case 2:
			use(2)
		case 3:
			use(3)
		}
	`, `
		switch n
		case 1: goto case1
		case 2: goto case2
		case 3: use(3)
		goto endSwitch1
		case1:
		get2 := await getEnter(r, n)
		use(get2)
		case2:
		use(2)
		endSwitch1:
		end
	`},
	{"a switch whose cases suspend", `
		switch n {
		case get(1), 2:
			use(n)
		default:
			use(0)
		}
	`, `
		tag1 := n
		get2 := await getEnter(r, 1)
		if tag1 == (get2) goto case1
		if tag1 == (2) goto case1
		goto case2
		case1:
		use(n)
		goto endSwitch1
		case2:
		use(0)
		endSwitch1:
		end
	`},
	{"a type switch", `
		var v any = n
		switch v := v.(type) {
		case int:
			use(v, get(1))
		}
	`, `
		v := n
		switch v := v.(type)
		case int: goto case1
		goto endSwitch1
		case1:
		get2 := await getEnter(r, 1)
		use(v, get2)
		endSwitch1:
		end
	`},
	{"a select", `
		c := make(chan int)
		select {
		case x := <-c:
			use(x, get(1))
		default:
		}
	`, `
		c := make(chan int)
		select
		case received1 := <-c: goto case1
		default: 
		goto endSwitch1
		case1:
		get2 := await getEnter(r, 1)
		use(x, get2)
		endSwitch1:
		end
	`},
	{"jumps", `
		outer:
		for {
			for {
				if get(1) > 1 {
					break outer
				}
				goto last
			}
		}
		last:
		use(n)
	`, `
		get2 := await getEnter(r, 1)
		if get2 > 1 { goto endFor1 }
		endFor1:
		use(n)
		end
	`},
	{"what cannot be reached", `
		use(get(1))
		return
		use(get(2))
	`, `
		get2 := await getEnter(r, 1)
		use(get2)
		end
	`},
	{"a literal", `
		x := 0
		func() { x = get(n) }()
		use(x)
	`, `
		x := 0
		await fFunc1Enter(r, &x, n)
		use(x)
		end
		fFunc1Enter(x, n)
		get2 := await getEnter(r, n)
		x = get2
		end
	`},
	{"a literal in a variable", `
		g := func(i int) int { return get(i) + n }
		use(g(1))
	`, `
		gEnter := func(r *statemachine.Run, arg1 int) (*<ir.FrameOf>, int) {
		return fFunc1Enter(r, n, arg1)
		}
		g2 := await gEnter(r, 1)
		use(g2)
		end
		fFunc1Enter(n, i)
		get2 := await getEnter(r, i)
		result = get2 + n
		end
	`},
	{"a deferred call", `
		defer use(n)
		use(get(1))
	`, `
		defer use(n)
		get2 := await getEnter(r, 1)
		use(get2)
		end
	`},
	{"a deferred call that suspends", `
		defer done()
		use(get(1))
	`, `
		after a panic goto epilogue1
		defer m, _ := doneEnter(r)
		return statemachine.Entered(m != nil)
		get2 := await getEnter(r, 1)
		use(get2)
		epilogue1:
		park resume2
		resume2:
		f.defers.Resumed(r)
		goto epilogue1
	`},
	{"a function that the runtime calls", `
		use(job.Go(ctx, func(context.Context) error { return done() }))
	`, `
		use(job.Go(ctx, func(arg1 Context) (error) { return fFunc1Run(arg1) }))
		end
		fFunc1Enter(_)
		result = await doneEnter(r)
		end
	`},
	{"a tuple whose panics show", `
		p := &n
		a, b := *p, 1/len(m)
		use(a, b, get(1))
	`, `
		p := &n
		len1 := len(m)
		a := *p
		b := 1/len1
		get2 := await getEnter(r, 1)
		use(a, b, get2)
		end
	`},
	{"a map literal", `
		use(map[int]int{1: 2, n: get(3)})
	`, `
		lit1 := map[int]int{1: 2, }
		get2 := await getEnter(r, 3)
		lit1[n] = get2
		use(lit1)
		end
	`},
	{"a constant moves", `
		const a = 1
		use(a, get(a))
	`, `
		get2 := await getEnter(r, a)
		use(a, get2)
		end
	`},
}

func TestInstructions(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := lowered("(n int, list []int, m map[string]int)", c.body)
			require.Empty(t, out.Findings)
			assert.Equal(t, lines(c.want), lines(short(listing(out))))
		})
	}
}

func TestACallOfAMachine(t *testing.T) {
	out := lowered("(n int)", "use(get(n))")
	assert.Equal(t, lines(`
		get1, get2 := getEnter(r, n)
		park resume1 | resumed1
		resume1:
		get2 = get1.Results(r)
		get1 = nil
		resumed1:
		use(get2)
		end
	`), lines(listing(out)))
	points := ir.Points(out.Root.Code)
	require.Len(t, points, 1)
	assert.Equal(t, source.KindEnter, points[0].Kind)
	assert.Equal(t, "get", points[0].Held.Name, "the stem of the name of the field that keeps the callee")
}

func TestAReturnStatementAssignsTheResults(t *testing.T) {
	out := lowered("(n int) (x, y int)", "defer use(n)\nreturn get(1), n + get(2)")
	assert.Equal(t, lines(`
		defer use(n)
		get2 := await getEnter(r, 1)
		get4 := await getEnter(r, 2)
		x, y = get2, n + get4
		end
	`), lines(short(listing(out))))
	out = lowered("(n int) (x int)", "use(1)\nreturn get(n)")
	assert.Equal(t, lines("use(1)\nx = await getEnter(r, n)\nend"), lines(short(listing(out))))
}

// lines returns the lines of a text, without indentation.
func lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func TestAFunctionThatReturnsAnothersResultsNeedsNoFrame(t *testing.T) {
	out := lowered("(n int) int", "if n > 1 { return n }\nreturn get(n)")
	require.NotNil(t, out.Root.Tail)
	assert.Empty(t, out.Root.Code)
	assert.Len(t, out.Root.Tail.Calls, 1)
	assert.Equal(t, "getFrame", out.Root.Tail.Frame.String()[strings.LastIndex(out.Root.Tail.Frame.String(), ".")+1:])

	out = loweredWith(lower.Options{Framed: true}, "(n int) int", "if n > 1 { return n }\nreturn get(n)")
	assert.Nil(t, out.Root.Tail)
	assert.Len(t, ir.Points(out.Root.Code), 1)

	for name, body := range map[string]string{
		"something is left to do":     "x := get(n)\nreturn x",
		"a deferred call":             "defer use(n)\nreturn get(n)",
		"another suspension":          "use(get(n))\nreturn get(n)",
		"the results are not its own": "return get(n) + 1",
	} {
		assert.Nil(t, lowered("(n int) int", body).Root.Tail, name)
	}
	assert.Nil(t, lowered("(n int) (x int)", "return get(n)").Root.Tail, "the result has a name, so more than the return statement may read it")
}

func TestAFunctionThatNeverSuspendsIsCalledAsItIs(t *testing.T) {
	out := lowered("(n int, _ string) error", "use(&n)\nreturn nil\nuse(get(1))\nreturn nil")
	assert.True(t, out.Root.Whole, "what suspends cannot be reached")
	assert.Empty(t, out.Root.Code)
	require.Len(t, out.Root.Vars, 3)
	assert.Equal(t, "arg1", out.Root.Vars[1].Name)
	assert.False(t, out.Root.Vars[0].Addressed, "the function as it was written has a variable of its own")

	out = lowered("()", "use(job.Go(ctx, func(context.Context) error { return done() }))")
	assert.False(t, out.Root.Whole, "it would run a literal that blocks")
}

func TestDeclarationsMoveOutOfTheirFunction(t *testing.T) {
	out := lowered("()", "type local struct{ n int }\nx := local{get(1)}\nuse(x)")
	require.Len(t, out.Types, 1)
	assert.Equal(t, "fFrameLocal", out.Types[0].Name)
	assert.Contains(t, listing(out), "x := fFrameLocal{get")

	out = lowered("[T any](x T)", "type local[T any] struct{ x T }\nuse(local[int]{get(1)})")
	require.Len(t, out.Findings, 1)
	assert.Contains(t, out.Findings[0].What, "the generic type local cannot be declared here")
}

func TestAnOrderThatDependsOnTypeArgumentsIsRefused(t *testing.T) {
	body := "k := &key\nuse(m[key+1], get(1), k)"
	assert.Empty(t, lowered("[K ~int | ~int64](m map[K]int, key K)", body).Findings)
	out := lowered("[K ~int | ~int8](m map[K]int, key K)", body)
	require.Len(t, out.Findings, 1)
	assert.Contains(t, out.Findings[0].Do, "copy it to a variable first")
}
