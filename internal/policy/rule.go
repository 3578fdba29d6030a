package policy

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is a property that the whole repository must have.
type Rule struct {
	// Name is one word, for exceptions and for the names of subtests.
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
		{"dependencies", "users of the runtime take no module but this one into their program", dependencies(allowances)},
		{"portability", "tricks below the language stop building on a newer Go or another system", portability},
		{"size", "a function has to fit a reader's head", sizes},
		{"names", "a folder named after nothing ends up holding everything", names},
		{"comments", "the contract of a name is its comment", comments},
		{"links", "a comment that sends its reader to a name that is gone is worse than none", links},
		{"entries", "a name that only generated code needs stands in the way of those that programs need", entries},
		{"leaks", "a goroutine that outlives its use is a bug of this library", leaks},
		{"hooks", "a panic of a hook must not change what the library was doing", hooks},
		{"tests", "a page that says how a promise is tested is worth the name of the test", namedTests},
		{"map", "a package that no page names is found by accident", packageMap},
		{"generate", "a generated file that go generate does not reach goes stale", generates},
		{"width", "a comment is read in narrow windows, side by side with others", widths},
		{"subjects", "a reader knows what a sentence is about by the noun that it begins with", subjects},
		{"terms", "a word that readers know from other systems explains itself", terms},
		{"words", "what is committed speaks of the project alone, and is finished", words},
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

// Place returns the name by which an [Exception] allows the finding. It has no line
// number, so it survives edits of the lines above.
func (f Finding) Place() string {
	if f.Name == "" {
		return f.Path
	}
	return f.Path + ":" + f.Name
}

// String returns the finding in the form that editors can jump to.
func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", f.Path, f.What, f.Mend)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, f.What, f.Mend)
}

// Exception allows one violation of one rule.
type Exception struct {
	Rule   string // the rule's name
	Place  string // as returned by [Finding.Place]
	Reason string // a sentence
}

// Apply returns the rule's findings in the tree, except those that are allowed,
// and a finding for each exception to this rule that allows nothing. The result
// is sorted by path and line.
func Apply(t *Tree, rule Rule, allowed []Exception) []Finding {
	unused := map[string]bool{}
	for _, e := range allowed {
		if e.Rule == rule.Name {
			unused[e.Place] = true
		}
	}
	var found []Finding
	excused := map[string]bool{}
	for _, f := range rule.Check(t) {
		if unused[f.Place()] {
			excused[f.Place()] = true
			continue
		}
		found = append(found, f)
	}
	for place := range unused {
		if !excused[place] {
			found = append(found, Finding{
				Path: place,
				What: "exception to " + rule.Name + " that nothing needs any more",
				Mend: "delete its line in internal/policy/exceptions.go",
			})
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.What, b.What))
	})
	return found
}
