package policy

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// links checks that what the documents point to is there: files, folders, and
// headings of other documents. Addresses on the web are not asked: a test that
// fails because somebody else's server is down teaches people to look away.
func links(t *Tree) []Finding {
	there := map[string]bool{".": true}
	documents := map[string]*document{}
	for _, f := range t.Files {
		for at := f.Path; at != "."; at = path.Dir(at) {
			there[at] = true
		}
		if path.Ext(f.Path) == ".md" && !outsideBuild(f.Path) {
			documents[f.Path] = readDocument(string(f.Text))
		}
	}
	var found []Finding
	for _, f := range t.Files {
		d := documents[f.Path]
		if d == nil {
			continue
		}
		for _, l := range d.links {
			if what := l.broken(f.Path, there, documents); what != "" {
				found = append(found, Finding{
					Path: f.Path,
					Line: l.line,
					Name: l.target,
					What: what,
					Mend: "point it to where that is now, relative to this document, or take the link out",
				})
			}
		}
	}
	return found
}

// document is what is of interest in one Markdown file.
type document struct {
	links   []link
	anchors map[string]bool // headings, in the form that addresses have
}

type link struct {
	line   int
	target string
}

var (
	fence     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	codeSpan  = regexp.MustCompile("`+[^`]*`+")
	heading   = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	inline    = regexp.MustCompile(`\]\(<?([^()<>\s]+)>?(?:\s+"[^"]*")?\)`)
	reference = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s+<?([^<>\s]+)>?`)
	image     = regexp.MustCompile(`<(?:img|a|source)\s[^>]*(?:src|href|srcset)="([^"\s]+)"`)
	anchor    = regexp.MustCompile(`<a\s[^>]*(?:id|name)="([^"]+)"`)
	elsewhere = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//)`)
)

// readDocument reads a text as far as links need it: line by line, with code
// left out. Code may contain anything.
func readDocument(text string) *document {
	d := &document{anchors: map[string]bool{}}
	fenced := ""
	for i, line := range strings.Split(text, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case fenced == "":
				fenced = m[1]
			case strings.HasPrefix(m[1], fenced):
				fenced = ""
			}
			continue
		}
		if fenced == "" {
			d.read(i+1, line)
		}
	}
	return d
}

func (d *document) read(number int, line string) {
	if m := heading.FindStringSubmatch(line); m != nil {
		d.addHeading(m[1])
	}
	line = codeSpan.ReplaceAllString(line, "")
	for _, m := range anchor.FindAllStringSubmatch(line, -1) {
		d.anchors[m[1]] = true
	}
	for _, kind := range []*regexp.Regexp{inline, reference, image} {
		for _, m := range kind.FindAllStringSubmatch(line, -1) {
			if !elsewhere.MatchString(m[1]) {
				d.links = append(d.links, link{number, m[1]})
			}
		}
	}
}

// addHeading adds the anchor of a heading as GitHub forms it: lower case,
// without punctuation, spaces as hyphens, and numbered where there is one already.
func (d *document) addHeading(title string) {
	title = inline.ReplaceAllString(title, "]")
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
	unique := slug
	for n := 1; d.anchors[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", slug, n)
	}
	d.anchors[unique] = true
}

// broken returns what is wrong with a link in the document at from, or "".
func (l link) broken(from string, there map[string]bool, documents map[string]*document) string {
	file, fragment, _ := strings.Cut(l.target, "#")
	to := from
	switch {
	case strings.HasPrefix(file, "/"):
		return fmt.Sprintf("the link %s starts at a root that only one site has", l.target)
	case file != "":
		to = path.Join(path.Dir(from), file)
	}
	if !there[to] {
		return fmt.Sprintf("the link %s leads to no file", l.target)
	}
	if d := documents[to]; d != nil && fragment != "" && !d.anchors[fragment] {
		return fmt.Sprintf("the link %s leads to no heading", l.target)
	}
	return ""
}
