package library

// Reasons to exclude a test.
const (
	asksCallers = "it looks at its callers' lines or at the depth of the stack"
	asksClock   = "it says how long something may take"
	asksHeap    = "it ends the process when the heap has grown to 40 MB, and the stack of a machine that suspends deep in a recursion is on the heap"
	tooSlow     = "it takes minutes: its panics pass through thousands of calls of machines by plain code, and a stack is printed at each"
)

// leftOut are the tests with unavoidable differences, by package.
var leftOut = map[string]map[string]string{
	"flag":      {"TestDefineAfterSet": asksCallers},
	"go/parser": {"TestScopeDepthLimit": tooSlow},
	"io":        {"TestMultiReaderFlatten": asksCallers, "TestMultiWriterSingleChainFlatten": asksCallers},
	"log":       {"ExampleLogger": asksCallers, "ExampleLogger_Output": asksCallers, "TestAll": asksCallers},

	"github.com/dlclark/regexp2": {"TestStopTimeoutClock": asksClock},
	"github.com/yuin/gopher-lua": {"TestLua": asksHeap},
}
