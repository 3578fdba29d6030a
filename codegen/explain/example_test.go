package explain_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/explain"
)

// machine is a result of codegen.Explain, for a function with one await.
var machine = &codegen.Machine{
	Function: "main.greet", Name: "greet", File: "main.go", First: 7, Last: 10,
	Source: []string{"//movenext:async", "func greet(j *job.Job[string]) (string, error) {", "\treturn j.Await()", "}"},
	Frame:  "greetFrame", Bytes: 80,
	Fields: []codegen.Field{
		{Name: "Frame", Type: "statemachine.Frame", Bytes: 48, Origin: codegen.OriginRuntime},
		{Name: "await1", Type: "*job.Job[string]", Bytes: 8, Origin: codegen.OriginTemporary},
	},
	Points: []codegen.Point{{Number: 1, Line: 9, Call: "return j.Await()", Live: []int{1}, Bytes: 8}},
	Edges:  []codegen.Edge{{From: codegen.AtStart, To: 1}, {From: 1, To: codegen.AtEnd}},
}

func ExampleText() {
	if err := explain.Text(os.Stdout, []*codegen.Machine{machine}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// main.greet, main.go:7
	// frame greetFrame, 80 bytes
	//     48 Frame statemachine.Frame                      runtime
	//      8 await1 *job.Job[string]                       temporary
	// point 1, line 9: return j.Await()
	//   needs 8 bytes: await1
	//   leads to end
}

func ExampleMermaid() {
	if err := explain.Mermaid(os.Stdout, []*codegen.Machine{machine}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TB
	//   subgraph m0["main.greet, frame 80 bytes"]
	//     m0start((start))
	//     m0p1["1, line 9<br/>return j.Await()<br/>needs 8 bytes: await1"]
	//     m0end(((end)))
	//     m0start --> m0p1
	//     m0p1 --> m0end
	//   end
}

func ExampleDot() {
	if err := explain.Dot(os.Stdout, []*codegen.Machine{machine}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// digraph machines {
	//   node [shape=box fontname=monospace fontsize=10]
	//   edge [arrowsize=0.7]
	//   subgraph cluster0 {
	//     label="main.greet, frame 80 bytes"
	//     m0start [shape=circle label=start]
	//     m0end [shape=doublecircle label=end]
	//     m0p1 [label="1, line 9\nreturn j.Await()\nneeds 8 bytes: await1"]
	//     m0start -> m0p1
	//     m0p1 -> m0end
	//   }
	// }
}

func ExampleHTML() {
	steps, err := explain.ReadRecording(strings.NewReader(`{"Machine":1,"Function":"main.greet","Event":"line","Line":9}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var page strings.Builder
	if err := explain.HTML(&page, "greet", []*codegen.Machine{machine}, steps); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(page.String(), "<title>greet</title>"))
	// Output: true
}
