package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// searchIndex is the data that the script of the site searches. It is itself a script, since a
// page on a disk may load scripts but not data.
type searchIndex struct {
	Pages [][2]string `json:"pages"` // address, title
	Parts []part      `json:"parts"`

	// Terms are in order, so that those with a prefix are neighbours.
	Terms []string `json:"terms"`

	// Postings has a list for each term: a part's distance from the part before it in the
	// list, its weight, and so on.
	Postings [][]int `json:"postings"`
}

// part is the text of a page from one heading to the next.
type part struct {
	page            int
	anchor, heading string
	text            string // its prose
	code            string
}

// MarshalJSON implements json.Marshaler: a part is a list. Its code is only in the terms.
func (p part) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{p.page, p.anchor, p.heading, p.text})
}

// Weights of a word by its position. The more often a word occurs in a part, the more the part is
// about it, up to mostUses uses.
const (
	inTitle   = 20
	inHeading = 10
	inText    = 1
	mostUses  = 5
)

// index returns the script with the search index.
func (s *site) index() []byte {
	var x searchIndex
	weights := map[string]map[int]int{}
	for i, p := range s.pages {
		x.Pages = append(x.Pages, [2]string{p.URL, p.Title})
		for _, of := range p.parts(i) {
			n := len(x.Parts)
			x.Parts = append(x.Parts, of)
			addWeight(weights, n, of.text+" "+of.code, inText, mostUses)
			if of.anchor == "" {
				addWeight(weights, n, of.heading, inTitle, inTitle)
			} else {
				addWeight(weights, n, of.heading, inHeading, inHeading)
			}
		}
	}
	for term := range weights {
		x.Terms = append(x.Terms, term)
	}
	slices.Sort(x.Terms)
	for _, term := range x.Terms {
		var list []int
		before := 0
		for n := range x.Parts {
			if weight := weights[term][n]; weight > 0 {
				list = append(list, n-before, weight)
				before = n
			}
		}
		x.Postings = append(x.Postings, list)
	}
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // strings and numbers
	}
	return slices.Concat([]byte("window.siteIndex = "), text, []byte(";\n"))
}

// addWeight adds the terms of a text to the weights of a part: weight for each use, up to the
// limit.
func addWeight(weights map[string]map[int]int, part int, text string, weight, limit int) {
	here := map[string]int{}
	for _, term := range terms(text) {
		here[term] = min(here[term]+weight, limit)
	}
	for term, sum := range here {
		if weights[term] == nil {
			weights[term] = map[int]int{}
		}
		weights[term][part] += sum
	}
}

var (
	word  = regexp.MustCompile(`[\p{L}\p{N}_]+`)
	humps = regexp.MustCompile(`\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+`)
)

// terms returns the words of a text in lower case. A name in camel case is a word, and so
// are its parts: WhenAll is found as "whenall" and as "when all".
func terms(text string) (all []string) {
	for _, w := range word.FindAllString(text, -1) {
		all = append(all, strings.ToLower(w))
		if of := humps.FindAllString(w, -1); len(of) > 1 {
			for _, hump := range of {
				all = append(all, strings.ToLower(hump))
			}
		}
	}
	return all
}

// parts cuts a page at its headings.
func (p *page) parts(number int) []part {
	all := []part{{page: number, heading: p.Title}}
	var text, code strings.Builder
	end := func() {
		last := &all[len(all)-1]
		last.text = strings.TrimSpace(text.String())
		last.code = code.String()
		text.Reset()
		code.Reset()
	}
	for n := p.document.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				end()
				id, _ := n.AttributeString("id")
				anchor, _ := id.([]byte)
				all = append(all, part{page: number, anchor: string(anchor), heading: plain(n, p.text)})
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			code.Write(n.Lines().Value(p.text))
		case *ast.HTMLBlock:
		default:
			text.WriteString(plain(n, p.text) + " ")
		}
	}
	end()
	return all
}
