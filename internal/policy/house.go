package policy

// Direction is one row of the house's plan: packages, and what they never
// reach.
type Direction struct {
	From   []string // patterns; see matches
	Except []string // patterns of packages that From means not
	Never  []string // patterns

	// Direct says that the row is about import statements, in tests too.
	// Otherwise it is about what the packages' own files reach, also by way of
	// other packages of this module: a layer that is known through a middleman is
	// known.
	Direct bool

	Because string
}

// The layers, from the ground up.
var (
	aboveSchedulers   = []string{"continuation/...", "awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "jobtest/..."}
	aboveContinuation = []string{"awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "jobtest/..."}
	aboveAwaiter      = []string{"job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "jobtest/..."}
	runtimePackages   = []string{"schedulers/...", "continuation/...", "awaiter/...", "job/...", "statemachine/...", "parallel/...", "coord/...", "netio/...", "jobtest/..."}
	testKits          = []string{"schedulers/schedulertest/...", "jobtest/..."}
	notLinked         = []string{"codegen/...", "examples/...", "docs/...", "internal/policy/..."}
)

// The phases of the generator. Each is a function from its input to its output, and knows
// the phases before it at most. The driver, package codegen, puts them together; the
// command, vet and explain are built on that.
var (
	generator     = []string{"codegen", "codegen/cmd/...", "codegen/explain/...", "codegen/vet/...", "codegen/internal/prove/..."}
	aboveLoad     = generator
	aboveTypetext = append([]string{"codegen/internal/load/..."}, aboveLoad...)
	aboveSource   = append([]string{"codegen/internal/typetext/..."}, aboveTypetext...)
)

// house is the plan. All rows that name a package bind it.
var house = []Direction{
	{
		From:    []string{"schedulers"},
		Never:   []string{"..."},
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
		From:    []string{"codegen/..."},
		Never:   runtimePackages,
		Because: "the generator names packages as strings, so that it builds and runs whatever state the runtime is in, also for a first run on a fresh package",
	},
	{
		From:    []string{"codegen/internal/typeset/..."},
		Never:   []string{"codegen/..."},
		Because: "a question about a type needs nothing but the type",
	},
	{
		From:    []string{"codegen/internal/source/..."},
		Never:   aboveSource,
		Because: "what the source says does not depend on what is made of it",
	},
	{
		From:    []string{"codegen/internal/typetext/..."},
		Never:   aboveTypetext,
		Because: "a type is written in the same way wherever it is needed",
	},
	{
		From:    []string{"codegen/internal/load/..."},
		Never:   aboveLoad,
		Because: "what is loaded does not depend on what is generated from it",
	},
	{
		From:    []string{"..."},
		Except:  notLinked,
		Never:   notLinked,
		Because: "a program that uses the runtime must not carry the generator, the examples or the checks of this repository",
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

// existing are the packages that the house is made of. One that is renamed or
// removed takes its rows above with it.
var existing = []string{
	"awaiter",
	"codegen",
	"codegen/cmd/movenext",
	"codegen/explain",
	"codegen/internal/load",
	"codegen/internal/source",
	"codegen/internal/typeset",
	"codegen/internal/typetext",
	"codegen/vet",
	"continuation",
	"coord",
	"job",
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
	"statemachine/record",
}

// planned are packages that the house has room for. The rows above bind such a
// package from its first file on; its line then moves up to existing, where it
// can no longer get lost.
var planned = []string{
	"jobtest",
}
