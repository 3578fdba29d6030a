package vet

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// # Excuses
//
// A comment excuses the findings of one check on one line, with a reason for readers:
//
//	data, err := os.ReadFile(name) //movenext:allow blocking read once, at the start
//
//	//movenext:allow blocking read once, at the start
//	data, err := os.ReadFile(name)
//
// An excuse that excuses nothing is a finding itself: the code below it has changed, and the next
// mistake there would be excused unread.
const allow = "//movenext:allow"

// excuse is one such comment.
type excuse struct {
	comment *ast.Comment
	check   string
	reason  string
	used    bool
}

// line is a line of a file, whatever its //line directives say. A check may have parsed the file
// again.
type line struct {
	file   string
	number int
}

// excuses are those of a package, by the lines to which they apply.
type excuses struct {
	fset *token.FileSet
	all  []*excuse
	at   map[line][]*excuse
}

func excusesIn(pass *analysis.Pass) *excuses {
	x := &excuses{fset: pass.Fset, at: map[line][]*excuse{}}
	for _, f := range pass.Files {
		if ast.IsGenerated(f) {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if text, is := strings.CutPrefix(c.Text, allow); is && (text == "" || text[0] == ' ' || text[0] == '\t') {
					x.add(f, c, text)
				}
			}
		}
	}
	return x
}

// add adds the excuse in a comment: for its own line if code is before it, else for the next one.
func (x *excuses) add(f *ast.File, c *ast.Comment, text string) {
	e := &excuse{comment: c}
	e.check, e.reason, _ = strings.Cut(strings.TrimSpace(text), " ")
	x.all = append(x.all, e)
	at := x.lineOf(c.Pos())
	if !x.hasCodeBefore(f, c) {
		at.number++
	}
	x.at[at] = append(x.at[at], e)
}

// hasCodeBefore reports whether a node of the file ends on the comment's line before it, or begins
// there.
func (x *excuses) hasCodeBefore(f *ast.File, c *ast.Comment) bool {
	at, found := x.lineOf(c.Pos()), false
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || found || n.Pos() > c.Pos() {
			return false
		}
		switch n.(type) {
		case *ast.Comment, *ast.CommentGroup:
			return false
		}
		found = x.lineOf(n.Pos()) == at || n.End() <= c.Pos() && x.lineOf(n.End()) == at
		return !found
	})
	return found
}

func (x *excuses) lineOf(pos token.Pos) line {
	f := x.fset.File(pos)
	return line{f.Name(), f.PositionFor(pos, false).Line}
}

// excuse reports whether a finding of a check is excused.
func (x *excuses) excuse(check string, pos token.Pos) (excused bool) {
	if x == nil {
		return false
	}
	for _, e := range x.at[x.lineOf(pos)] {
		if e.check == check && e.reason != "" {
			e.used, excused = true, true
		}
	}
	return excused
}

// report reports the excuses that excuse nothing. One of a check that was left out may excuse
// something.
func (x *excuses) report(r *reporter) {
	for _, e := range x.all {
		known := slices.ContainsFunc(checks, func(c check) bool { return c.name == e.check && c.run != nil })
		switch {
		case !known:
			r.report(e.comment, unknownExcuse(e.check))
		case e.reason == "":
			r.report(e.comment, excuseWithoutReason(e.check))
		case !e.used && !slices.Contains(skip, e.check):
			r.report(e.comment, unusedExcuse(e.check))
		}
	}
}
