package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/html"
)

func TestMain(m *testing.M) {
	// The clock for regular expressions in the highlighter runs for a second after the last one.
	clock := goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")
	goleak.VerifyTestMain(m, clock, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(built.folder)
		os.Exit(status)
	}))
}

// built is the site of this repository, which the first test that needs it builds.
var built struct {
	once   sync.Once
	site   *site
	folder string
	err    error
}

// theSite returns the site of this repository and its folder. Tests do not change it.
func theSite(t *testing.T) (*site, string) {
	t.Helper()
	built.once.Do(func() {
		built.site = &site{root: "../..", repository: "https://example.org/repository", revision: "v1", record: record}
		built.folder, built.err = buildForAllTests(built.site)
	})
	require.NoError(t, built.err)
	return built.site, filepath.Join(built.folder, "a folder")
}

// buildForAllTests builds the site in a folder that outlives the test: TestMain removes it.
func buildForAllTests(s *site) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "site-test-"); err != nil {
		return "", err
	}
	return folder, s.build(context.Background(), filepath.Join(folder, "a folder"))
}

// document is a page of a site as a browser sees it.
type document struct {
	name  string
	root  *html.Node
	ids   map[string]int
	links []link
}

// link is an attribute of an element that leads elsewhere.
type link struct{ element, attribute, target string }

// documents parses all pages in the folder.
func documents(t *testing.T, folder string) map[string]*document {
	t.Helper()
	all := map[string]*document{}
	require.NoError(t, filepath.WalkDir(folder, func(file string, e fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".html" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		d := &document{name: filepath.ToSlash(name), ids: map[string]int{}}
		if d.root, err = html.Parse(bytes.NewReader(text)); err != nil {
			return err
		}
		for n := range d.root.Descendants() {
			d.note(n)
		}
		all[d.name] = d
		return nil
	}))
	return all
}

func (d *document) note(n *html.Node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			d.ids[a.Val]++
		case "href", "src", "srcset", "data", "poster", "action":
			d.links = append(d.links, link{n.Data, a.Key, a.Val})
		}
	}
}

// count returns how many elements of a name the page has.
func (d *document) count(element string) (n int) {
	for node := range d.root.Descendants() {
		if node.Type == html.ElementNode && node.Data == element {
			n++
		}
	}
	return n
}

func TestEveryPageOfTheSiteIsWhole(t *testing.T) {
	s, folder := theSite(t)
	pages := documents(t, folder)
	for _, p := range s.pages {
		assert.Contains(t, pages, urlOf(p.path), "a page of %s", p.path)
	}
	assert.Len(t, pages, len(s.pages)+12, "and twelve players")
	for name, d := range pages {
		assert.Equal(t, 1, d.count("h1"), "%s: headings of the first level", name)
		assert.Equal(t, 1, d.count("title"), "%s: titles", name)
		assert.Equal(t, 1, d.count("main"), "%s: main parts", name)
		for id, n := range d.ids {
			assert.Equal(t, 1, n, "%s: elements with the id %s", name, id)
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Empty(t, unbalanced(text), "%s: tags that do not match", name)
	}
}

// void are the elements without an end tag.
var void = map[string]bool{"meta": true, "link": true, "input": true, "br": true, "img": true, "hr": true}

// unbalanced returns the tags of a page that have no counterpart. The browsers' parser accepts
// every text, so it finds none.
func unbalanced(text []byte) (found []string) {
	var open []string
	for z := html.NewTokenizer(bytes.NewReader(text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return append(found, open...)
		case html.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				found = append(found, "/"+string(name))
				continue
			}
			open = open[:len(open)-1]
		default:
		}
	}
}

func TestEveryLinkOfTheSiteLeadsToAFile(t *testing.T) {
	_, folder := theSite(t)
	pages := documents(t, folder)
	for name, d := range pages {
		for _, l := range d.links {
			u, err := url.Parse(l.target)
			if !assert.NoError(t, err, name) || u.Scheme != "" {
				continue
			}
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(to)))
			if !assert.NoError(t, err, "%s: %s", name, l.target) || !assert.False(t, info.IsDir(), "%s: %s: a disk shows no index of a folder", name, l.target) {
				continue
			}
			if u.Fragment != "" && pages[to] != nil && !strings.HasPrefix(to, "replays/") {
				assert.Contains(t, pages[to].ids, u.Fragment, "%s: %s", name, l.target)
			}
		}
	}
}

func TestTheSiteLoadsNothingFromElsewhere(t *testing.T) {
	_, folder := theSite(t)
	for name, d := range documents(t, folder) {
		assert.Empty(t, d.foreign(), name)
	}
	style, err := os.ReadFile(filepath.Join(folder, "site.css"))
	require.NoError(t, err)
	assert.NotContains(t, string(style), "url(")
	assert.NotContains(t, string(style), "@import")
	assert.NotContains(t, string(siteJS), "fetch(")
}

// foreign returns the assets that a page loads from elsewhere. Links to follow do not count.
func (d *document) foreign() (found []string) {
	for _, l := range d.links {
		follow := l.element == "a" && l.attribute == "href"
		if !follow && (strings.Contains(l.target, "//") || strings.Contains(l.target, ":")) {
			found = append(found, l.element+" "+l.target)
		}
	}
	return found
}

func TestForeignAssetsAreFound(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<link href="https://a/b.css"><script src="//c/d.js"></script><img src="e.png"><a href="https://f">f</a>`))
	require.NoError(t, err)
	d := document{ids: map[string]int{}}
	for n := range root.Descendants() {
		d.note(n)
	}
	assert.Equal(t, []string{"link https://a/b.css", "script //c/d.js"}, d.foreign())
}

func TestTheBookIsInItsOrder(t *testing.T) {
	s, _ := theSite(t)
	var chapters []string
	for p := s.byPath["docs/book/README.md"]; p != nil; p = p.Next {
		chapters = append(chapters, path.Base(p.path))
		if p.Next != nil {
			assert.Same(t, p, p.Next.Previous)
		}
	}
	require.Greater(t, len(chapters), 20)
	assert.Equal(t, "01-a-job.md", chapters[1])
	numbered, others := chapters[1:len(chapters)-3], chapters[len(chapters)-3:]
	assert.IsIncreasing(t, numbered)
	assert.ElementsMatch(t, []string{"build-your-own.md", "names.md", "exercises.md"}, others)
}

func TestPicturesAndPlayersAreOnTheSite(t *testing.T) {
	_, folder := theSite(t)
	pages := documents(t, folder)
	has := func(name, element, attribute, target string) {
		assert.Contains(t, pages[name].links, link{element, attribute, target}, name)
	}
	has("docs/schedules.html", "img", "src", "../docs/schedule.png")
	has("docs/schedules.html", "iframe", "src", "../replays/stealing-half.html")
	has("docs/schedules.html", "a", "href", "../replays/all-orders.html")
	has("docs/sources/ums.html", "iframe", "src", "../../replays/ums.html")
	has("docs/sources/job-model.html", "iframe", "src", "../../replays/three-awaits.html")
	has("lab/laboratory.html", "a", "href", "../docs/plots/W1-jobs-p2.svg")
	has("index.html", "a", "href", "https://example.org/repository/blob/v1/examples/00-hello/main_async.go")
	has("docs/schedules.html", "a", "href", "https://example.org/repository/blob/v1/examples/42-schedules/dotnet.go")
	text := textOf(t, folder, "replays/ums.html")
	here, err := filepath.Abs("../..")
	require.NoError(t, err)
	ours, machines := strings.Count(text, "ums.Yield(ctx, fmt.Sprint("), strings.Count(text, here)
	assert.Equal(t, 1, ours, "a player has the lines of its program")
	assert.Zero(t, machines, "and not the folders of this machine")
}
