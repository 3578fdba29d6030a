package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// readme is the page of a folder.
const readme = "README.md"

var (
	//go:embed layout.html
	layoutText string
	//go:embed site.css
	siteCSS string
	//go:embed site.js
	siteJS []byte
	//go:embed icon.svg
	icon []byte

	layout = template.Must(template.New("").Parse(layoutText))
)

// site is one build.
type site struct {
	root       string // the folder of the repository
	repository string // its URL
	revision   string // the revision in links to sources

	// record writes a page for each lesson into the folder.
	record func(ctx context.Context, root, folder string) error

	pages    []*page
	byPath   map[string]*page
	sections []*section
	assets   map[string]bool // files of the repository that are part of the site
	replays  map[string]bool // names of the lessons
}

// page is one of the documents.
type page struct {
	Title          string
	URL            string // below the folder of the site
	Body           template.HTML
	Previous, Next *page // of the same section

	path     string // below the root, with slashes
	text     []byte
	document ast.Node
	anchors  map[string]bool
	section  *section
}

// build writes the site. If it fails, nothing is left behind.
func (s *site) build(ctx context.Context, target string) (err error) {
	out, err := newOutput(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.discard()) }()
	s.assets, s.replays = map[string]bool{}, map[string]bool{}
	if err := s.read(); err != nil {
		return err
	}
	s.arrange()
	if err := s.resolve(); err != nil {
		return err
	}
	if err := s.writeReplays(ctx, out); err != nil {
		return err
	}
	index := s.index() // before rendering, which may change escaped text
	if err := s.render(); err != nil {
		return err
	}
	if err := s.writePages(out); err != nil {
		return err
	}
	if err := s.writeAssets(out, index); err != nil {
		return err
	}
	return out.commit()
}

// read finds and parses the pages.
func (s *site) read() error {
	s.pages, s.byPath = nil, map[string]*page{}
	err := filepath.WalkDir(s.root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := e.Name(); e.IsDir() && name != s.root && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".")) {
			return filepath.SkipDir
		}
		if e.IsDir() || path.Ext(e.Name()) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(s.root, name)
		if err != nil {
			return err
		}
		s.add(filepath.ToSlash(file), bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		return nil
	})
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	if s.byPath[readme] == nil {
		return fmt.Errorf("site: %s has no %s: is it the folder of the repository?", s.root, readme)
	}
	var found []error
	for _, p := range s.pages {
		found = append(found, p.parse())
	}
	if err := errors.Join(found...); err != nil {
		return err
	}
	if dir := "docs/decisions"; s.byPath[path.Join(dir, readme)] == nil {
		return s.add(path.Join(dir, readme), listing(dir, "Decisions", s.pages)).parse()
	}
	return nil
}

func (s *site) add(file string, text []byte) *page {
	p := &page{path: file, text: text, URL: escapePath(urlOf(file))}
	s.pages = append(s.pages, p)
	s.byPath[file] = p
	return p
}

// urlOf returns the file of the site that a page becomes.
func urlOf(file string) string {
	if path.Base(file) == readme {
		return path.Join(path.Dir(file), "index.html")
	}
	return strings.TrimSuffix(file, ".md") + ".html"
}

// writeReplays records the lessons, and writes the pages that play them.
func (s *site) writeReplays(ctx context.Context, out *output) error {
	folder, err := os.MkdirTemp("", "site-")
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	if err := s.record(ctx, s.root, folder); err != nil {
		return err
	}
	players, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	for _, player := range players {
		name := filepath.Base(player)
		if name == "index.html" {
			continue
		}
		text, err := os.ReadFile(player)
		if err != nil {
			return fmt.Errorf("site: %w", err)
		}
		if err := out.write("replays/"+name, text); err != nil {
			return err
		}
		s.replays[strings.TrimSuffix(name, ".html")] = true
	}
	return nil
}

func (s *site) writePages(out *output) error {
	for _, p := range s.pages {
		var b bytes.Buffer
		if err := layout.Execute(&b, view{Page: p, Sections: s.sections, Source: s.sourceOf(p)}); err != nil {
			return fmt.Errorf("site: %s: %w", p.path, err)
		}
		if err := out.write(urlOf(p.path), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) writeAssets(out *output, index []byte) error {
	style, err := stylesheet()
	if err != nil {
		return err
	}
	files := map[string][]byte{"site.css": style, "site.js": siteJS, "icon.svg": icon, "search.js": index}
	for file := range s.assets {
		if files[file], err = os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file))); err != nil {
			return fmt.Errorf("site: %w", err)
		}
	}
	for name, text := range files {
		if err := out.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf returns the path of the page's source in the repository, or "" for a page that only
// the site has.
func (s *site) sourceOf(p *page) string {
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(p.path))); err != nil {
		return ""
	}
	return s.repository + "/blob/" + s.revision + "/" + escapePath(p.path)
}

// view is the data for the layout.
type view struct {
	Page     *page
	Sections []*section
	Source   string
}

// Open reports whether the section is shown with its pages.
func (v view) Open(c *section) bool { return c == v.Page.section }

// Link returns the relative link from the page to another one.
func (v view) Link(p *page) string { return v.Page.relative(p.URL) }
