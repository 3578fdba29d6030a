package policy

// Direction is one row of the plan: packages, and the packages that they never
// reach.
type Direction struct {
	From   []string // patterns; see matches
	Except []string // patterns of packages to which From does not apply
	Never  []string // patterns
	Save   []string // patterns of packages to which Never does not apply

	// Direct restricts the row to import statements, including those of tests. Otherwise
	// the row applies to everything that the packages' own files reach, even through
	// other packages of this module: an import through an intermediate
	// package counts.
	Direct bool

	Because string
}

// The layers, from the ground up.
var (
	aboveSchedulers   = []string{"continuation/...", "awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "inspect/...", "jobtest/...", "durable/..."}
	aboveContinuation = []string{"awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "inspect/...", "jobtest/...", "durable/..."}
	aboveAwaiter      = []string{"job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "inspect/...", "jobtest/...", "durable/..."}
	runtimePackages   = []string{"schedulers/...", "continuation/...", "awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "inspect/...", "jobtest/...", "durable/..."}
	testKits          = []string{"schedulers/schedulertest/...", "jobtest/...", "durable/durabletest/...", "internal/linear/...", "codegen/twintest/..."}
	notLinked         = []string{"codegen/...", "examples/...", "docs/...", "internal/policy/..."}
)

// The phases of the generator. Each is a function from its input to its output, and
// knows at most the phases before it. The driver, package codegen, combines them; the
// command, vet and explain are built on the driver.
var (
	generator     = []string{"codegen", "codegen/cmd/...", "codegen/explain/...", "codegen/vet/...", "codegen/internal/coverage/..."}
	aboveCache    = generator
	aboveDurable  = append([]string{"codegen/internal/cache/..."}, aboveCache...)
	aboveLoad     = append([]string{"codegen/internal/durable/..."}, aboveDurable...)
	aboveEmit     = append([]string{"codegen/internal/load/..."}, aboveLoad...)
	abovePlace    = append([]string{"codegen/internal/emit/..."}, aboveEmit...)
	aboveLower    = append([]string{"codegen/internal/place/...", "codegen/internal/unnamed/..."}, abovePlace...)
	aboveNaming   = abovePlace
	aboveUnnamed  = append([]string{"codegen/internal/place/...", "codegen/internal/naming/...", "codegen/internal/lower/..."}, abovePlace...)
	aboveAnalyse  = append([]string{"codegen/internal/unnamed/..."}, aboveUnnamed...)
	aboveIR       = append([]string{"codegen/internal/analyse/..."}, aboveAnalyse...)
	aboveTypetext = append([]string{"codegen/internal/ir/..."}, aboveIR...)
	aboveSource   = append([]string{"codegen/internal/typetext/..."}, aboveTypetext...)
)

// house is the plan. All rows that name a package apply to it.
var house = []Direction{
	{
		From:    []string{"schedulers"},
		Never:   []string{"..."},
		Save:    []string{"internal/contract", "internal/labels", "internal/probe", "internal/registry", "internal/sample", "internal/truncate"},
		Because: "it is the contract between work and the places where it runs; a scheduler must be writable with this package alone",
	},
	{
		From:    []string{"schedulers/..."},
		Except:  testKits,
		Never:   aboveSchedulers,
		Because: "a scheduler knows work, not what the work is; the only way up is the interface Work",
	},
	{
		From:    []string{"continuation/..."},
		Never:   aboveContinuation,
		Because: "the one race of the library is understood, tested and replaced alone",
	},
	{
		From:    []string{"awaiter/..."},
		Never:   aboveAwaiter,
		Because: "anything with GetAwaiter can be awaited, so the protocol must not know jobs",
	},
	{
		From:    []string{"job/..."},
		Never:   []string{"statemachine/..."},
		Because: "jobs are useful with no generated code in the program; machines are built of jobs, not the other way round",
	},
	{
		From:    []string{"job/...", "statemachine/...", "parallel/...", "coord/..."},
		Never:   []string{"netio/..."},
		Because: "a program that opens no socket carries no poller and no cryptography",
	},
	{
		From:    []string{"job/...", "statemachine/...", "parallel/...", "coord/...", "netio/..."},
		Never:   []string{"inspect/..."},
		Because: "a program that is not inspected carries no page, template or profile",
	},
	{
		From:    []string{"job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "inspect/...", "jobtest/..."},
		Never:   []string{"durable/..."},
		Because: "a program that saves nothing carries no codec and no engine",
	},
	{
		From:    []string{"durable"},
		Never:   []string{"..."},
		Save:    []string{"durable/gen", "durable/stores", "durable/internal/listeners", "durable/internal/nilctx", "internal/histogram"},
		Because: "a store in another module imports it, and what is saved must not depend on how machines run in memory",
	},
	{
		From:    []string{"codegen/..."},
		Never:   runtimePackages,
		Because: "the generator names packages as strings, so that it builds and runs whatever state the runtime is in, also for a first run on a fresh package",
	},
	{
		From:    []string{"codegen/internal/typeset/..."},
		Never:   []string{"codegen/..."},
		Because: "a predicate on a type needs nothing but the type",
	},
	{
		From:    []string{"codegen/internal/graph/..."},
		Never:   []string{"codegen/..."},
		Because: "reachability and liveness follow from the graph, not from the instructions",
	},
	{
		From:    []string{"codegen/internal/source/..."},
		Never:   aboveSource,
		Because: "the model of the source does not depend on what is generated from it",
	},
	{
		From:    []string{"codegen/internal/typetext/..."},
		Never:   aboveTypetext,
		Because: "a type is written in the same way wherever it is needed",
	},
	{
		From:    []string{"codegen/internal/load/..."},
		Never:   aboveLoad,
		Because: "loading does not depend on generating",
	},
	{
		From:    []string{"codegen/internal/load/...", "codegen/internal/cache/..."},
		Never:   []string{"codegen/internal/ir/...", "codegen/internal/analyse/...", "codegen/internal/lower/...", "codegen/internal/unnamed/...", "codegen/internal/place/...", "codegen/internal/naming/...", "codegen/internal/emit/..."},
		Because: "load and cache work on whole packages; the phases below work on one function",
	},
	{
		From:    []string{"codegen/internal/ir/..."},
		Never:   aboveIR,
		Because: "an instruction is data: it does not know how it is made, placed or printed",
	},
	{
		From:    []string{"codegen/internal/analyse/..."},
		Never:   aboveAnalyse,
		Because: "the facts about a function do not depend on how far its lowering has come",
	},
	{
		From:    []string{"codegen/internal/lower/..."},
		Never:   aboveLower,
		Because: "instructions say what is done, not where a variable lives or how the text looks",
	},
	{
		From:    []string{"codegen/internal/place/...", "codegen/internal/naming/...", "codegen/internal/emit/..."},
		Never:   []string{"codegen/internal/lower/..."},
		Because: "places, names and text follow from the instructions, not from the lowering",
	},
	{
		From:    []string{"codegen/internal/unnamed/..."},
		Never:   aboveUnnamed,
		Because: "the derivation of a type follows from the source alone; the printer writes it",
	},
	{
		From:    []string{"codegen/internal/place/..."},
		Never:   abovePlace,
		Because: "where a variable lives follows from the instructions, whichever source they come from",
	},
	{
		From:    []string{"codegen/internal/naming/..."},
		Never:   append([]string{"codegen/internal/place/..."}, aboveNaming...),
		Because: "a name depends on the thing that it names and on the names around it, not on the place of a variable",
	},
	{
		From:    []string{"codegen/internal/emit/..."},
		Never:   aboveEmit,
		Because: "printing is the last step of a function: all that it prints has been decided before",
	},
	{
		From:    []string{"codegen/internal/durable/..."},
		Never:   append([]string{"codegen/internal/ir/...", "codegen/internal/unnamed/...", "codegen/internal/place/...", "codegen/internal/naming/...", "codegen/internal/lower/...", "codegen/internal/analyse/...", "codegen/internal/emit/..."}, aboveDurable...),
		Because: "a durable function has a language and a frame of its own; the lowering of asynchronous functions may change without it (decision 0045)",
	},
	{
		From:    []string{"codegen/internal/stale/...", "codegen/twintest/..."},
		Never:   []string{"codegen/..."},
		Save:    []string{"codegen/internal/source", "codegen/internal/stale", "codegen/internal/typeset"},
		Because: "a test in each run of a user's tests can afford to read files, not to load packages",
	},
	{
		From:    []string{"codegen/internal/durable/layout/..."},
		Never:   []string{"codegen/..."},
		Because: "two versions are compared by their layouts: the source of the older one no longer exists",
	},
	{
		From:    []string{"codegen/internal/filecache/..."},
		Never:   []string{"codegen/..."},
		Because: "a folder of values does not depend on their contents",
	},
	{
		From:    []string{"codegen/internal/cache/..."},
		Never:   aboveCache,
		Because: "a cached result is bytes: whether it is still valid follows from the inputs alone",
	},
	{
		From:    []string{"..."},
		Except:  notLinked,
		Never:   notLinked,
		Because: "a program that uses the runtime must not contain the generator, the examples or the checks of this repository",
	},
	{
		From:    []string{"..."},
		Except:  append([]string{"codegen/..."}, append(notLinked, testKits...)...),
		Never:   testKits,
		Because: "package testing and its flags do not belong in a user's program",
	},
	{
		From:    []string{"..."},
		Except:  []string{"examples/..."},
		Never:   []string{"examples/..."},
		Direct:  true,
		Because: "an example is a user's program: once another package imports it, it can no longer change to teach better",
	},
	{
		From:    []string{"examples/...", "docs/..."},
		Never:   []string{"internal/..."},
		Direct:  true,
		Because: "a reader copies what is shown there, and a copy cannot import what is internal here",
	},
}

// existing are the packages of the module. When a package is renamed or removed, the
// rows above that name it have to change too.
var existing = []string{
	"awaiter",
	"codegen",
	"codegen/cmd/movenext",
	"codegen/explain",
	"codegen/internal/analyse",
	"codegen/internal/cache",
	"codegen/internal/durable",
	"codegen/internal/emit",
	"codegen/internal/filecache",
	"codegen/internal/graph",
	"codegen/internal/ir",
	"codegen/internal/durable/layout",
	"codegen/internal/load",
	"codegen/internal/lower",
	"codegen/internal/naming",
	"codegen/internal/place",
	"codegen/internal/source",
	"codegen/internal/stale",
	"codegen/internal/typeset",
	"codegen/internal/typetext",
	"codegen/internal/unnamed",
	"codegen/twintest",
	"codegen/vet",
	"continuation",
	"coord",
	"durable",
	"durable/durabletest",
	"durable/gen",
	"durable/stores",
	"inspect",
	"inspect/metrics",
	"inspect/record",
	"job",
	"jobtest",
	"jobtest/simnet",
	"netio",
	"parallel",
	"schedulers",
	"schedulers/dedicated",
	"schedulers/eventloop",
	"schedulers/pool",
	"schedulers/priority",
	"schedulers/roundrobin",
	"schedulers/schedulertest",
	"schedulers/simulation",
	"schedulers/ums",
	"schedulers/workstealing",
	"statemachine",
	"statemachine/gentypes",
	"statemachine/record",
}

// planned are packages that do not exist yet. The rows above apply to such a package from
// its first file on; its line then moves up to existing, so that a later removal is noticed.
var planned = []string{}
