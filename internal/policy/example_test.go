package policy_test

import (
	"fmt"
	"testing/fstest"

	"github.com/movenext/movenext/internal/policy"
)

// A scheduler that imports jobs, and the message that its author gets.
func ExampleApply() {
	tree, err := policy.Read(fstest.MapFS{
		"go.mod":              {Data: []byte("module example.com/m\n")},
		"schedulers/new/a.go": {Data: []byte("package new\n\nimport _ \"example.com/m/job\"\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range policy.Apply(tree, policy.Rules()[0]) {
		fmt.Println(f.Path)
		fmt.Println(f.What)
		fmt.Println(f.Mend)
	}
	// Output:
	// schedulers/new/a.go
	// schedulers/new must not import job (schedulers/new → job)
	// a scheduler knows work, not what the work is; the only way up is the interface Work; move what is needed to a package below both, or hand it in as an interface
}
