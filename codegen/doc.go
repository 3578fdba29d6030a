// Package codegen generates the asynchronous twins of annotated functions: state
// machines that do what the functions do, and suspend where the functions
// block. It is the library behind the command movenext.
//
// The function stays as it is, so that it can be read, debugged and called as plain Go. Its
// twin must be observably the same program: results, panics, the order of effects, aliasing,
// loop variables, deferred calls. This is the most important requirement of the package. A
// function for which it cannot be met is refused, with a position and a reason.
//
// # Theory of operation
//
// A machine is a stack frame in the form of an object, with a program counter as a field.
// The sections below treat one difficulty after another, each with source first and result
// second; the results are quoted from testdata/essay.txtar and files next to it. Package
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
// There are two suspension points: fetch, which has a twin, and Await of a job. A variable that
// is needed after a suspension becomes a field (durable functions are translated differently:
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
// One method runs from one suspension to the next. It is MoveNext itself or, as here, a method
// that MoveNext calls. The parameters ctx and a are needed only before the first suspension, and
// the results only at the end, so they are passed to that method and returned by it.
//
//	type fetchBothArgs struct {
//		ctx context.Context
//		a   string
//	}
//
//	func (f *fetchBothLocals) moveNext(r *statemachine.Run, args *fetchBothArgs) (hasEnded bool, result0 int, result1 error) {
//
// The method begins with a jump to where it stopped:
//
//	resumeAt := f.State
//	f.State = statemachine.Finished // unless it suspends
//	switch resumeAt {
//	case statemachine.NotStarted:
//	case 1:
//		goto resume1
//	case 2:
//		goto resume2
//	default:
//		statemachine.Misuse(resumeAt)
//		return
//	}
//
// A call of a function with a twin enters the callee's machine. If the callee ran to its end,
// its results are available and no object was allocated. Otherwise it has suspended, and so does
// the caller:
//
//	f.fetch1, f.x, err = fetchEnter(r, args.ctx, args.a)
//	if f.fetch1 == nil {
//		goto after1
//	}
//	f.State = 1
//	return false, 0, nil
//	resume1:
//	f.x, err = f.fetch1.Results(r)
//	f.fetch1 = nil
//	after1:
//
// If the resumed callee panicked, Results raises the panic again. So a panic always passes
// through the caller: natively while everything runs on one stack, and through Results after a
// suspension.
//
// An awaited job is a local variable, until the machine suspends. Most awaited jobs have
// completed, and then nothing is written to the frame:
//
//	if awaited = j; awaited.IsCompleted() && r.Proceed() {
//		goto after2
//	}
//	f.State = 2
//	f.await2 = awaited
//	return r.Await(awaited), 0, nil
//	resume2:
//	awaited = statemachine.AwaitedJob(r, f.await2)
//	f.await2 = nil
//	after2:
//	y, err = awaited.GetResult()
//
// # Where variables live
//
// Of the variables above only b and x are in the frame. The variable err is used on both sides of
// a suspension but never needed across one, since it is assigned again after each: it is declared
// at the top of the method. The variables j and y are used between two labels only: they are
// declared there, in a block. These decisions depend on the lifetimes of all variables, which are
// known only after the whole function has been flattened. So the body first becomes a list of
// instructions (internal/ir), and is printed last (internal/place decides, internal/emit prints).
//
// Variables of one type that are needed one after another share a field, and those at the top of
// the method that have one name share a local. A field that is not
// needed after a suspension is cleared there. Otherwise a machine that waits for an hour would
// keep values alive for an hour that the plain function would have released:
//
//	f.State = 2
//	f.b = "" // not needed any more
//
// # Two entries
//
// A frame starts as a local variable of the caller, and moves to the heap when it first suspends.
// Users call fetchBothAsync, which returns a job; machines call fetchBothEnter, which creates no
// job:
//
//	frame := fetchBothLocals{b: b}
//	if hasEnded, v0, v1 := frame.moveNext(r, &fetchBothArgs{ctx: ctx, a: a}); hasEnded {
//		return nil, v0, v1
//	}
//	m := &fetchBothFrame{kept: frame}
//	r.Push(ctx, m, &m.kept.Frame)
//	return m, 0, nil
//
// A machine that has called another one requests the results when it is resumed, so the callee
// stores them until then: fetchBothFrame consists of fetchBothLocals and fields for the results,
// which its MoveNext fills. A job stores its results itself. A function that no machine calls, and
// that no other package can name, has only the first entry.
//
// All this requires that the frame does not escape from the method: a closure over it, or the
// address of one of its fields, would allocate it on every call. It must also be safe to copy.
//
// # Branches and loops
//
// Go forbids jumps into a block, and a resumed machine must jump to its suspension point. So a
// statement that contains a suspension point is taken apart into labels and jumps at the top level
// of MoveNext, until the suspending operation stands alone. A statement that contains none is kept
// as it is, even if it is a loop within a loop.
//
//	for _, url := range urls {
//		n, err := fetch(ctx, url)
//		if err != nil {
//			return sum, err
//		}
//		sum += n
//	}
//
// becomes a loop with a counter, following the language's definition. The list is evaluated once.
// The err of the body is not the result err, so it has another name:
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
//		return true
//	}
//	f.sum += n
//	f.i1++
//	goto range1
//	endRange1:
//
// Go does not allow jumps over a declaration either. That is why variables are declared at the top
// of MoveNext or inside of blocks, and nowhere else.
//
// # Suspending inside an expression
//
//	return calls + len(s) + count(ctx)
//
// Suppose that count changes both calls and s. The language says only that calls are made from
// left to right; it leaves to the compiler when variables are read. gc reads the variable calls
// after the call of count, and takes the length before it. A machine that saved every left operand
// first, as C# machines do, would be a different program.
//
//	f.len1 = len(args.s)
//	f.count1, count1Value = countEnter(r, args.ctx)
//	…
//	return true, calls + f.len1 + count1Value
//
// Whether gc evaluates an operation early depends on its kind and type: order.go of internal/lower
// follows the compiler's walk/order.go. The rest stays one expression, which gc compiles again
// after the suspension.
//
// # Closures and addresses
//
//	n := 0
//	add := func() { n++ }
//
// A field cannot represent a variable that something else refers to: the frame is copied, and a
// loop creates a new variable each time. Such a variable gets a cell. The frame contains a
// pointer, and the declaration allocates the pointer's target:
//
//	f.n = new(int)
//	*f.n = 0
//	{
//		n := f.n
//		f.add = func() { (*n)++ }
//	}
//
// The closure captures the cell and not the frame, through the local n. Variables that must not be
// copied, such as a sync.Mutex, have cells for the same reason.
//
// # Function literals, deferred calls
//
// A literal that runs as a part of the function is a separate machine; the variables that it
// captures are parameters of its entry (internal/lower/literals.go). Deferred calls are stored in
// the frame. If some of them suspend, the function ends in an epilogue that makes the deferred
// calls; a panic also leads to it (internal/lower/defer.go, and package statemachine).
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
// A function that returns a sequence is a machine that stops on the way: at each yield it reports
// that it is done for now.
//
//	f.Emit(n, err)
//	…
//	f.State = 2
//	return true
//	resume2:
//
// A range over it does not call it once with the body, as plain Go does. It requests one value
// after another, and suspends if the machine does. So the two swap roles:
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
// A jump out of the loop first stops the machine, and waits until it has ended; a panic passes
// through the machine. Any other function that is ranged over, if the body suspends, runs on its
// own goroutine and takes turns with the loop in the same way.
//
// # Names and types that do not exist yet
//
// A package that calls fetchAsync does not type-check before fetchAsync is generated, and
// fetchAsync cannot be generated without types. So annotated functions are found in the syntax
// (internal/load/find.go), and their future declarations are added before types are checked
// (internal/load/stubs.go). From then on types alone determine what suspends
// (internal/source/twins.go): future twins, twins written by hand, and those of other modules are
// all alike.
//
// # What is never written
//
// Nothing is written for a folder with a finding: its old files stay as they are. And nothing is
// written that was not first type-checked with its package (verify.go). If the lowering has a
// defect, a run reports it, and does not leave code that fails to build.
//
// # Running again
//
// Most runs find nothing to do. With a cache ([Config]) such a run reads the files that it depends
// on, compares their digest with that of the previous run, and ends before it starts the go
// command. After a change, only the packages that depend on it are generated again
// (internal/cache).
//
// # Phases
//
// This package is the driver: it calls the phases one after another, and passes to each the
// results of the earlier ones. For the packages of a run:
//
//	internal/load     from patterns to packages with types, in which the future twins are known
//	internal/cache    results of earlier runs
//	target.go         does the rest for one package
//	file.go           makes a file of the functions' declarations: header, constraints, imports
//	verify.go         type-checks the result
//	write.go          compares the result with the files on disk, and replaces them
//
// And for one function, called by phases.go:
//
//	internal/analyse  finds the facts that later phases need, and refuses what cannot be lowered
//	internal/lower    turns statements and expressions into instructions
//	internal/place    decides where variables live, and until when
//	internal/naming   chooses names
//	internal/emit     prints the declarations in all forms, with the lines of the source
//
// They share models of the source (internal/source) and of the result (internal/ir). Package
// internal/typeset answers queries about types, internal/typetext writes them, and
// internal/unnamed infers those that cannot be named.
package codegen
