// Package codegen generates the asynchronous twins of annotated functions: state
// machines that do what the functions do, and suspend where the functions
// block. It is the library behind the command movenext.
//
// The function stays as it is, to be read, debugged and called as plain Go. Its twin
// must be observably the same program: results, panics, the order of effects, aliasing,
// loop variables, deferred calls. Nothing else in this package is as important. A
// function for which this is impossible is refused with a position and a reason.
//
// # Theory of operation
//
// A machine is a stack frame that is an object, and a program counter that is a field.
// The sections below take one difficulty after another, source first, result second;
// the results are quoted from testdata/essay.txtar and its neighbours. Package
// statemachine describes what the runtime does with a machine.
//
// # A straight line
//
//	//movenext:async
//	func fetchBoth(ctx context.Context, a, b string) (int, error) {
//		x, err := fetch(ctx, a)
//		if err != nil {
//			return 0, err
//		}
//		j := start(b)
//		y, err := j.Await()
//		return x + y, err
//	}
//
// There are two suspension points: fetch, which has a twin, and Await of a job. What is
// needed after a suspension becomes a field (durable functions are translated in another way:
// see package codegen/internal/durable):
//
//	type fetchBothLocals struct {
//		statemachine.Frame
//
//		b string
//
//		x      int
//		fetch1 *fetchFrame
//		await2 *job.Job[int]
//	}
//
// One method runs from one suspension to the next. It is MoveNext or, as here, called
// by it: the parameters ctx and a are needed before the first suspension only, and the
// results at the end only, so they are what the method is given and returns.
//
//	type fetchBothArgs struct {
//		ctx context.Context
//		a   string
//	}
//
//	func (f *fetchBothLocals) moveNext(r *statemachine.Run, args *fetchBothArgs) (finished bool, result0 int, result1 error) {
//
// It begins by jumping to where it stopped:
//
//	state := f.State
//	f.State = statemachine.Running
//	switch state {
//	case 0:
//	case 1:
//		goto resume1
//	case 2:
//		goto resume2
//	default:
//		f.Misuse(state)
//	}
//
// A call of a function with a twin enters the callee's machine. If the callee ran
// through, its results are there and no object was made; otherwise it has
// suspended, and so does the caller:
//
//	f.fetch1, f.x, err = fetchEnter(r, args.ctx, args.a)
//	if f.fetch1 == nil {
//		goto resumed1
//	}
//	f.State = 1
//	return false, 0, nil
//	resume1:
//	f.x, err = f.fetch1.Results(r)
//	f.fetch1 = nil
//	resumed1:
//
// Results raises a panic of the resumed callee again. So a panic passes through
// the caller either way: natively while everything runs on one stack, through
// Results after a suspension.
//
// An awaited job needs no second way: if it has completed, the machine continues where
// it would be resumed.
//
//	if f.await2.IsCompleted() && r.Proceed() {
//		goto resume2
//	}
//	f.State = 2
//	return r.Await(f.await2), 0, nil
//	resume2:
//
// # Where variables live
//
// Of the variables above only b and x are in the frame. The variable err is used on
// both sides of a suspension but never needed across one, since each assigns it anew:
// it is declared at the top of the method. The variables j and y are used between two
// labels only: they are declared there, in a block. This takes the lifetimes of all
// variables, which are known only after the whole function has been flattened; so the
// body becomes a list of instructions first (internal/ir) and is printed last
// (internal/place decides, internal/emit prints).
//
// Variables of one type that are needed one after another share a field. A field that
// is not needed after a suspension is cleared there. Otherwise a machine that waits for
// an hour would keep alive for an hour what the plain function would not:
//
//	f.State = 2
//	f.b = "" // not needed any more
//	return r.Await(f.await2), 0, nil
//
// # Two entries
//
// A frame starts as a local variable of the caller, and moves to the heap when it first
// suspends. Users call fetchBothAsync, which returns a job; machines call
// fetchBothEnter, which makes none:
//
//	frame := fetchBothLocals{b: b}
//	if finished, v0, v1 := frame.moveNext(r, &fetchBothArgs{ctx: ctx, a: a}); finished {
//		return nil, v0, v1
//	}
//	m := &fetchBothFrame{fetchBothLocals: frame}
//	r.Push(ctx, m)
//	return m, 0, nil
//
// A machine that called another one asks for the results when it is resumed, so the
// callee keeps them for it: fetchBothFrame is fetchBothLocals and fields for the
// results, which its MoveNext fills. A job stores them itself. A function that no machine
// calls, and that no other package can name, has the first entry alone.
//
// For all this the frame must not escape from the method: no closure over it, no
// address of a field, or it would be allocated on every call. Copying it must be
// harmless too.
//
// # Branches and loops
//
// Go forbids jumps into a block, and a resumed machine must jump to its suspension
// point. So a statement that holds one is taken apart into labels and jumps at the top
// of MoveNext, until the suspending operation stands alone; a statement that holds none
// is kept as it is, a loop within a loop included.
//
//	for _, url := range urls {
//		n, err := fetch(ctx, url)
//		if err != nil {
//			return sum, err
//		}
//		sum += n
//	}
//
// becomes a loop with a counter, as the language defines it. The list is evaluated
// once. The err of the body is not the result err, and is named apart:
//
//	f.list1 = f.urls
//	f.i1 = 0
//	range1:
//	if f.i1 >= len(f.list1) {
//		goto endRange1
//	}
//	…
//	if err2 != nil {
//		f.err = err2
//		f.State = statemachine.Finished
//		return true
//	}
//	f.sum += n
//	f.i1++
//	goto range1
//	endRange1:
//
// Go does not allow jumps over a declaration either. That is why variables are
// declared at the top of MoveNext or inside of blocks, and nowhere else.
//
// # Suspending inside an expression
//
//	return calls + len(s) + count(ctx)
//
// Suppose that count changes both calls and s. The language says only that calls
// are made from left to right; when variables are read is left to the compiler. gc
// reads calls after the call, and takes the length before. A machine that
// saved every left operand first, as those of C# do, would be another program.
//
//	f.len1 = len(args.s)
//	f.count1, count2 = countEnter(r, args.ctx)
//	…
//	return true, calls + f.len1 + count2
//
// Which operations gc evaluates early depends on their kind and type: order.go of
// internal/lower follows the compiler's walk/order.go. The rest stays one expression, which gc
// compiles again after the suspension.
//
// # Closures and addresses
//
//	n := 0
//	add := func() { n++ }
//
// A field cannot stand for a variable that something else refers to: the frame is
// copied, and a loop makes a new variable each time. Such a variable gets a cell. The
// frame has a pointer, and the declaration allocates what it points to:
//
//	f.n = new(int)
//	*f.n = 0
//	{
//		n := f.n
//		f.add = func() { (*n)++ }
//	}
//
// The closure captures the cell and not the frame, by the local n. Variables that
// must not be copied, such as a sync.Mutex, have cells for the same reason.
//
// # Function literals, deferred calls
//
// A literal that runs as a part of the function is a machine of its own; what it
// captures are parameters of its entry (internal/lower/literals.go). Deferred calls are
// kept in the frame. If some of them suspend, the function ends in an epilogue that
// makes them, to which a panic leads too (internal/lower/defer.go, and package
// statemachine).
//
// # Streams
//
//	return func(yield func(int, error) bool) {
//		for _, url := range urls {
//			n, err := fetch(ctx, url)
//			if !yield(n, err) {
//				return
//			}
//		}
//	}
//
// A function that returns a sequence is a machine that stops on the way: at each yield
// it is done for now, and says so.
//
//	f.Emit(n, err)
//	…
//	f.State = 2
//	return true
//	resume2:
//
// A range over it does not call it once with the body, as plain Go does. It asks for
// one value after the other, and suspends if the machine does. So the two swap roles:
//
//	for n, err := range sizes(ctx, urls) {
//
//	f.loop1 = statemachine.RangeStream(sizesAsync(args.ctx, args.urls))
//	f.loops.Open(f.loop1)
//	range1:
//	if f.loop1.Next(r) {
//		goto resume1
//	}
//	f.State = 1
//	…
//	return false
//	resume1:
//	if !f.loop1.More(r) {
//		goto done1
//	}
//
// A jump out of the loop stops the machine first, and waits for it; a panic passes
// through it. Any other function that is ranged over, if the body suspends, runs on a
// goroutine of its own and takes turns with the loop in the same way.
//
// # Names and types that are not there yet
//
// A package that calls fetchAsync does not type-check before fetchAsync is generated,
// and fetchAsync cannot be generated without types. So annotated functions are found in
// the syntax (internal/load/find.go), and what will be generated for them is declared before types
// are checked (stubs.go). From then on types alone say what suspends (internal/source/twins.go): future
// twins, twins written by hand, and those of other modules are all alike.
//
// # What is never written
//
// Nothing is written for a folder with a finding: its old files stay as they are. And
// nothing is written that was not type-checked with its package first (verify.go). If
// the lowering has a defect, a run says so; it does not leave code that fails to build.
//
// # Running again
//
// Most runs find nothing to do. With a cache ([Config]) such a run reads the files that
// it depends on, compares their digest with that of the run before, and ends before it
// asks the go command for anything. After a change, only the packages that depend on it
// are generated again (internal/cache).
//
// # Phases
//
// This package is the driver: it calls the phases one after another, each with what those
// before it have returned. For the packages of a run:
//
//	internal/load     from patterns to packages with types, in which the twins to come are known
//	internal/cache    what earlier runs have kept
//	target.go         does the rest for one package
//	file.go           makes a file of the functions' declarations: header, constraints, imports
//	verify.go         type-checks the result
//	write.go          compares with what is there, and replaces it
//
// And for one function, called by phases.go:
//
//	internal/analyse  finds what the others ask about it, and refuses what cannot be lowered
//	internal/lower    makes instructions of its statements and expressions
//	internal/place    decides where variables live, and until when
//	internal/naming   chooses names
//	internal/emit     prints its declarations in all forms, with the lines of the source
//
// They share models of the source (internal/source) and of the result (internal/ir). Types are
// asked by internal/typeset, written by internal/typetext and, if they cannot be named,
// reached by internal/unnamed.
package codegen
