package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// copied are the extensions of files that become part of the site when a page links to them.
// Links to all other files lead to the repository.
var copied = []string{".png", ".svg", ".jpg", ".gif", ".webp"}

// lineAnchor matches one or several lines of a source file.
var lineAnchor = regexp.MustCompile(`^L[1-9]\d*(-L[1-9]\d*)?$`)

// resolve rewrites all links: pages become HTML, pictures are recorded as files to copy, and
// sources become links to the repository. It returns the broken links.
func (s *site) resolve() error {
	var found []error
	for _, p := range s.pages {
		for _, l := range p.links() {
			to, err := s.destination(p, l.target)
			if err != nil {
				found = append(found, fmt.Errorf("%s:%d: %s: %w", p.path, p.line(l), l.target, err))
				continue
			}
			switch n := l.node.(type) {
			case *ast.Link:
				n.Destination = []byte(to)
			case *ast.Image:
				n.Destination = []byte(to)
			}
		}
	}
	return errors.Join(found...)
}

// destination returns the target of the page's link on the site.
func (s *site) destination(p *page, target string) (string, error) {
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "mailto:") {
		return target, nil
	}
	u, err := url.Parse(target)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" || u.Host != "" || u.RawQuery != "" || strings.HasPrefix(u.Path, "/") {
		return "", errors.New("neither an address of the web nor a file relative to the page")
	}
	file := p.path
	if u.Path != "" {
		file = path.Join(path.Dir(p.path), u.Path)
	}
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return "", errors.New("outside of the repository")
	}
	if to := s.pageAt(file); to != nil {
		if u.Fragment != "" && !to.anchors[u.Fragment] {
			return "", fmt.Errorf("%s has no heading #%s", to.path, u.Fragment)
		}
		if to == p {
			return "#" + u.Fragment, nil
		}
		return p.relative(to.URL) + fragment(u.Fragment), nil
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return "", errors.New("no such file")
	}
	if u.Fragment != "" && !lineAnchor.MatchString(u.Fragment) {
		return "", fmt.Errorf("%s is not a page, and #%s is not a line of it", file, u.Fragment)
	}
	switch {
	case info.IsDir():
		return s.repository + "/tree/" + s.revision + "/" + escapePath(file), nil
	case slices.Contains(copied, strings.ToLower(path.Ext(file))):
		s.assets[file] = true
		return p.relative(escapePath(file)), nil
	default:
		return s.repository + "/blob/" + s.revision + "/" + escapePath(file) + fragment(u.Fragment), nil
	}
}

// pageAt returns the page of a file, or of the README of a folder, or nil.
func (s *site) pageAt(file string) *page {
	if p := s.byPath[file]; p != nil {
		return p
	}
	return s.byPath[path.Join(file, readme)]
}

// relative returns the address of a file of the site relative to this page: only relative links
// work both in a folder of a server and on a disk.
func (p *page) relative(target string) string { return p.Root() + target }

// Root returns the relative path from the page to the folder of the site: "" or "../", repeated.
func (p *page) Root() string { return strings.Repeat("../", strings.Count(p.URL, "/")) }

func fragment(name string) string {
	if name == "" {
		return ""
	}
	return "#" + name
}

// escapePath returns the path of a file as a path of a URL.
func escapePath(file string) string { return (&url.URL{Path: file}).EscapedPath() }

// line returns the line of a link in the page's file. The parser keeps the position of the block
// that contains the link; the target is searched from there.
func (p *page) line(l reference) int {
	block := l.node
	for block.Type() == ast.TypeInline || block.Lines().Len() == 0 {
		if block.Parent() == nil {
			return 1
		}
		block = block.Parent()
	}
	start := block.Lines().At(0).Start
	if at := bytes.Index(p.text[start:], []byte("]("+l.target)); at >= 0 {
		start += at
	}
	return 1 + bytes.Count(p.text[:start], []byte("\n"))
}
