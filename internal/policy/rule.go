package policy

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is a property that the whole repository must have.
type Rule struct {
	// Name is one word, for the names of subtests.
	Name string

	// Why is the purpose of the rule, in one sentence.
	Why string

	// Check returns the findings, or nil.
	Check func(*Tree) []Finding
}

// Rules returns the rules of this repository. The slice belongs to the caller.
func Rules() []Rule {
	return []Rule{
		{"directions", "calls go down by name; what a layer does not know cannot break it", directions(house)},
		{"residents", "a rule about a package that does not exist holds nothing", residents(existing, planned)},
		{"binaries", "what a reader cannot review is not source, and each clone downloads it forever", binaries},
		{"links", "a comment that sends its reader to a name that is gone is worse than none", links},
		{"entries", "a name that only generated code needs stands in the way of those that programs need", entries},
		{"leaks", "a goroutine that outlives its use is a bug of this library", leaks},
		{"hooks", "a panic of a hook must not change what the library was doing", hooks},
		{"goroutines", "a panic of users' code on a goroutine of ours would end their process", goroutines},
		{"tests", "a page that says how a promise is tested is worth the name of the test", namedTests},
		{"map", "a package that no page names is found by accident", packageMap},
		{"generate", "a generated file that go generate does not reach goes stale", generates},
		{"words", "what is committed speaks of the project alone", words},
	}
}

// Finding is one violation of a rule.
type Finding struct {
	Path string // slash-separated, relative to the tree's root
	Line int    // from 1; 0 is the file or the folder as a whole
	Name string // the item inside the file: a function, an import, a word; may be empty
	What string // the fact
	Mend string // what to do about it
}

// String returns the finding in the form that editors can jump to.
func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", f.Path, f.What, f.Mend)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, f.What, f.Mend)
}

// Apply returns the rule's findings in the tree, sorted by path and line.
func Apply(t *Tree, rule Rule) []Finding {
	found := rule.Check(t)
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.What, b.What))
	})
	return found
}
