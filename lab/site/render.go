package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	highlighting "github.com/yuin/goldmark-highlighting/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is GitHub's dialect with highlighted code. HTML in a page is an error, except for
// comments; see page.comment.
func markdown(extra ...goldmark.Option) goldmark.Markdown {
	return goldmark.New(append([]goldmark.Option{
		goldmark.WithExtensions(extension.GFM, highlighting.NewHighlighting(
			highlighting.WithFormatOptions(chromahtml.WithClasses(true)),
		)),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	}, extra...)...)
}

// parse reads the text of a page: its title and the anchors of its headings.
func (p *page) parse() error {
	ids := &slugs{used: map[string]bool{}}
	p.document = markdown().Parser().Parse(text.NewReader(p.text), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	p.anchors = ids.used
	titles := 0
	p.walk(func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 {
			titles++
			p.Title = plain(h, p.text)
		}
	})
	if titles != 1 {
		return fmt.Errorf("%s:1: %d headings of the first level, where one is the title", p.path, titles)
	}
	return nil
}

// slugs makes anchors from headings in the way of GitHub and similar sites.
type slugs struct{ used map[string]bool }

var notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// Generate implements parser.IDs: the text of a heading becomes its anchor.
func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := notInSlug.ReplaceAllString(strings.ToLower(string(value)), "")
	base = strings.ReplaceAll(strings.TrimSpace(base), " ", "-")
	if base == "" {
		base = "section"
	}
	slug := base
	for n := 1; s.used[slug]; n++ {
		slug = base + "-" + strconv.Itoa(n)
	}
	s.used[slug] = true
	return []byte(slug)
}

// Put implements parser.IDs: it marks an anchor as used.
func (s *slugs) Put(value []byte) { s.used[string(value)] = true }

// plain returns the text of a node without markup, with single spaces.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			visit(child)
		}
		if n.Type() == ast.TypeBlock || n.Kind() == tables.KindTableCell {
			b.WriteByte(' ')
		}
	}
	visit(n)
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// render makes the HTML of all pages.
func (s *site) render() error {
	var found []error
	for _, p := range s.pages {
		r := &pageRenderer{site: s, page: p}
		m := markdown(goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(r, 100))))
		var b bytes.Buffer
		if err := m.Renderer().Render(&b, p.text, p.document); err != nil {
			found = append(found, fmt.Errorf("%s: %w", p.path, err))
		}
		found = append(found, r.found...)
		p.Body = template.HTML(unbroken(b.String())) //nolint:gosec // the renderer escapes, and passes no HTML on
	}
	return errors.Join(found...)
}

var (
	// textOrNot matches code, a tag, or a piece of text.
	textOrNot = regexp.MustCompile(`(?s)<pre\b.*?</pre>|<code\b.*?</code>|<[^>]*>|[^<]+`)

	// spaced is the space in 10 000, and the one before a unit.
	spaced = regexp.MustCompile(`(\d) (\d{3}\b|(?:[nµm]?s|[kKMGT]?i?B|%|[km]?Hz)(?:[^\pL\d]|$))`)
)

// unbroken keeps numbers whole, with their units: in text, no line ends within them.
func unbroken(body string) string {
	return textOrNot.ReplaceAllStringFunc(body, func(s string) string {
		if s[0] == '<' {
			return s
		}
		for range 2 { // matches do not overlap: 1 000 000
			s = spaced.ReplaceAllString(s, "$1\u00a0$2")
		}
		return s
	})
}

// pageRenderer renders the elements that the site formats in its own way.
type pageRenderer struct {
	*site

	page     *page
	language string // of the part that is being rendered; empty: English
	found    []error
}

// RegisterFuncs implements renderer.NodeRenderer.
func (r *pageRenderer) RegisterFuncs(registry renderer.NodeRendererFuncRegisterer) {
	registry.Register(ast.KindHeading, r.heading)
	registry.Register(ast.KindHTMLBlock, r.htmlBlock)
	registry.Register(ast.KindRawHTML, r.rawHTML)
	registry.Register(tables.KindTable, r.table)
	registry.Register(ast.KindCodeSpan, r.codeSpan)
}

// heading adds a link to itself.
func (r *pageRenderer) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	if !entering {
		fmt.Fprintf(w, "</h%d>\n", h.Level)
		return ast.WalkContinue, nil
	}
	id, _ := h.AttributeString("id")
	anchor, _ := id.([]byte)
	fmt.Fprintf(w, `<h%d id="%[2]s"><a class="anchor" href="#%[2]s" aria-label="Link to this section">#</a>`, h.Level, html.EscapeString(string(anchor)))
	return ast.WalkContinue, nil
}

// codeSpan keeps short words that begin with a hyphen whole: a browser may end a line after it.
func (r *pageRenderer) codeSpan(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var code strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		code.Write(child.(*ast.Text).Segment.Value(source))
	}
	words := strings.Split(strings.ReplaceAll(code.String(), "\n", " "), " ")
	for i, word := range words {
		words[i] = html.EscapeString(word)
		if strings.HasPrefix(word, "-") && len(word) < 20 {
			words[i] = `<span class="flag">` + words[i] + `</span>`
		}
	}
	fmt.Fprintf(w, "<code>%s</code>", strings.Join(words, " "))
	return ast.WalkSkipChildren, nil
}

// table puts a table into a box that scrolls.
func (r *pageRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprint(w, `<div class="table" tabindex="0"><table>`+"\n")
	} else {
		fmt.Fprint(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func (r *pageRenderer) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.HTMLBlock)
	raw := b.Lines().Value(source)
	if b.HasClosure() {
		raw = append(bytes.Clone(raw), b.ClosureLine.Value(source)...)
	}
	r.comment(w, string(raw), b.Lines().At(0).Start, playerFrame)
	return ast.WalkContinue, nil
}

func (r *pageRenderer) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		raw := n.(*ast.RawHTML)
		r.comment(w, string(raw.Segments.Value(source)), raw.Segments.At(0).Start, playerLink)
	}
	return ast.WalkSkipChildren, nil
}

var (
	comment = regexp.MustCompile(`(?s)^\s*<!--\s*(.*?)\s*-->\s*$`)
	replay  = regexp.MustCompile(`^replay: ([a-z0-9-]+)$`)
	lang    = regexp.MustCompile(`^language: ([a-z]+)$`)

	playerFrame = template.Must(template.New("").Parse(`<figure class="replay">
<iframe src="{{.URL}}" title="A recorded run: {{.Name}}" loading="lazy"></iframe>
<figcaption>A recorded run: the space bar plays, the arrow keys step. <a href="{{.URL}}">Open <code>{{.Name}}</code> alone</a></figcaption>
</figure>
`))
	playerLink = template.Must(template.New("").Parse(`<a class="play" href="{{.URL}}" title="Play {{.Name}}">▶ play</a>`))
)

// comment renders a comment of a page. It is dropped, except for
//
//	<!-- replay: NAME -->
//
// which stands for the run of that name, recorded for this build. In a paragraph of its own it
// becomes the page that plays the run, and elsewhere a link to that page. And
//
//	<!-- language: ru -->
//
// says that what follows is in this language, up to the same comment with en.
func (r *pageRenderer) comment(w util.BufWriter, raw string, start int, player *template.Template) {
	fail := func(format string, args ...any) {
		line := 1 + bytes.Count(r.page.text[:start], []byte("\n"))
		r.found = append(r.found, fmt.Errorf("%s:%d: "+format, append([]any{r.page.path, line}, args...)...))
	}
	m := comment.FindStringSubmatch(raw)
	if m == nil {
		fail("HTML, which the site does not pass on: %s", strings.TrimSpace(raw))
		return
	}
	if of := lang.FindStringSubmatch(m[1]); of != nil {
		r.speak(w, of[1])
		return
	}
	of := replay.FindStringSubmatch(m[1])
	if of == nil {
		return
	}
	if !r.replays[of[1]] {
		fail("%s: no recording has this name", of[1])
		return
	}
	if err := player.Execute(w, map[string]string{"Name": of[1], "URL": r.page.relative("replays/" + of[1] + ".html")}); err != nil {
		fail("%w", err)
	}
}

// speak ends a part in another language than English, and begins one.
func (r *pageRenderer) speak(w util.BufWriter, language string) {
	if r.language != "" {
		fmt.Fprint(w, "</div>\n")
	}
	if r.language = strings.TrimPrefix(language, "en"); r.language != "" {
		fmt.Fprintf(w, "<div lang=%q>\n", r.language)
	}
}

// stylesheet returns the style of the site with the colours of code. Dark colours apply on a dark
// system unless the reader has chosen light ones, and vice versa.
func stylesheet() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(siteCSS)
	for _, theme := range []struct{ style, before, after string }{
		{"github", ":root[data-theme=light] {\n", "}\n"},
		{"github", "@media not (prefers-color-scheme: dark) { :root:not([data-theme]) {\n", "} }\n"},
		{"github-dark", ":root[data-theme=dark] {\n", "}\n"},
		{"github-dark", "@media (prefers-color-scheme: dark) { :root:not([data-theme]) {\n", "} }\n"},
	} {
		b.WriteString(theme.before)
		if err := chromahtml.New(chromahtml.WithClasses(true), chromahtml.WithCSSComments(false)).WriteCSS(&b, styles.Get(theme.style)); err != nil {
			return nil, fmt.Errorf("site: %w", err)
		}
		b.WriteString(theme.after)
	}
	return b.Bytes(), nil
}
