package main

import (
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// section is a part of the sidebar.
type section struct {
	Title string
	Pages []*page // in their order

	files []string // files, and folders that end with a slash
}

// newSections returns the sections in the order of the sidebar. A page belongs to the first
// section that names it, or otherwise to one that names its folder.
func newSections() []*section {
	return []*section{
		{Title: "Start", files: []string{"README.md", "docs/getting-started.md", "docs/howto/when-not.md", "docs/glossary.md"}},
		{Title: "The book", files: []string{"docs/book/"}},
		{Title: "How to", files: []string{"docs/howto/"}},
		{Title: "The five documents", files: []string{"docs/sources/"}},
		{Title: "Reference", files: []string{"docs/"}},
		{Title: "Examples", files: []string{"examples/"}},
		{Title: "Laboratory", files: []string{"lab/"}},
		{Title: "Project", files: []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/releasing.md", "lab/site/README.md"}},
		{Title: "Decisions", files: []string{"docs/decisions/"}},
		{Title: "More", files: []string{""}},
	}
}

// arrange puts each page into its section, and links it to the pages before and after it.
func (s *site) arrange() {
	all := newSections()
	for _, p := range s.pages {
		p.section = sectionOf(all, p.path)
		p.section.Pages = append(p.section.Pages, p)
	}
	s.sections = slices.DeleteFunc(all, func(c *section) bool { return len(c.Pages) == 0 })
	for _, c := range s.sections {
		c.sort()
		for i, p := range c.Pages[1:] {
			p.Previous, c.Pages[i].Next = c.Pages[i], p
		}
	}
}

// sectionOf returns the section of the file: one that names it, or the one with the longest
// enclosing folder.
func sectionOf(all []*section, file string) *section {
	var best *section
	longestFolder := -1
	for _, c := range all {
		for _, f := range c.files {
			if f == file {
				return c
			}
			if inside := f == "" || strings.HasSuffix(f, "/") && strings.HasPrefix(file, f); inside && len(f) > longestFolder {
				best, longestFolder = c, len(f)
			}
		}
	}
	return best
}

// sort orders the pages: first those that the section names, then a folder's README, then
// the pages in the order in which that README links them, then the others by name.
func (c *section) sort() {
	rank := map[string]int{}
	note := func(file string) {
		if _, ok := rank[file]; !ok {
			rank[file] = len(rank)
		}
	}
	for _, f := range c.files {
		note(f)
	}
	for _, p := range c.Pages {
		if path.Base(p.path) != readme {
			continue
		}
		note(p.path)
		for _, l := range p.links() {
			target, _, _ := strings.Cut(l.target, "#")
			note(path.Join(path.Dir(p.path), target))
		}
	}
	slices.SortStableFunc(c.Pages, func(a, b *page) int {
		i, listed := rank[a.path]
		j, other := rank[b.path]
		switch {
		case listed && other:
			return i - j
		case listed:
			return -1
		case other:
			return 1
		default:
			return strings.Compare(a.path, b.path)
		}
	})
}

// listing returns a page that links the pages of a folder that has no README.
func listing(dir, title string, pages []*page) []byte {
	var text strings.Builder
	text.WriteString("# " + title + "\n\n")
	for _, p := range pages {
		if path.Dir(p.path) == dir {
			text.WriteString("- [" + p.Title + "](" + path.Base(p.path) + ")\n")
		}
	}
	return []byte(text.String())
}

// reference is a link or a picture of a page.
type reference struct {
	target string
	node   ast.Node
}

// links returns the links and pictures of the page, in order.
func (p *page) links() (all []reference) {
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			all = append(all, reference{string(n.Destination), n})
		case *ast.Image:
			all = append(all, reference{string(n.Destination), n})
		}
	})
	return all
}

// walk calls f for each node of the page, parents first.
func (p *page) walk(f func(ast.Node)) {
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		f(n)
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			visit(child)
		}
	}
	visit(p.document)
}
