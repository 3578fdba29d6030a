package inspect_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
)

func ExampleHandler() {
	defer inspect.Track()()
	defer suspendedConsumers(3)()
	mux := http.NewServeMux()
	mux.Handle("/debug/movenext/", inspect.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()
	answer, err := server.Client().Get(server.URL + "/debug/movenext/dump")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(strings.SplitN(string(text), "\n", 2)[0])
	// Output: movenext: 3 suspended machines at 1 place
}

func ExampleRemote() {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil) // from elsewhere
	inspect.Handler().ServeHTTP(w, r)
	fmt.Println(w.Code)
	w = httptest.NewRecorder()
	inspect.Handler(inspect.Remote()).ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// 403
	// 200
}

// ask returns what the handler answers a request from this computer for a path.
func ask(path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:4000", "localhost:6060"
	w := httptest.NewRecorder()
	inspect.Handler().ServeHTTP(w, r)
	return w
}

func TestThePageShowsAllPlaces(t *testing.T) {
	defer inspect.Track()()
	left, right, end := hang(t)
	defer end()
	at := lines(t)
	w := ask("/debug/movenext/")
	require.Equal(t, http.StatusOK, w.Code)
	body := html.UnescapeString(w.Body.String())
	for place, n := range counts {
		assert.Regexp(t, fmt.Sprintf(`<td class="n">%d<td>.*%s`, n, regexp.QuoteMeta(at[place])), body, place)
		assert.Regexp(t, fmt.Sprintf(`<summary>%d in <code>.*%s`, n, regexp.QuoteMeta(at[place])), body, place)
	}
	a, b := fmt.Sprintf("#%d", left.ID()), fmt.Sprintf("#%d", right.ID())
	assert.Contains(t, body, "<td>"+a+"<td>coord.Mutex<td>"+b)
	assert.Contains(t, body, "<td>"+b+"<td>coord.Mutex<td>"+a)
	assert.NotRegexp(t, `(?i)<script|src=|https?:`, body, "there is nothing from elsewhere")

	profile := ask("/debug/movenext/" + inspect.ProfileName).Body.Bytes()
	assert.Equal(t, "\x1f\x8b", string(profile[:2]))
	assert.Contains(t, ask("/debug/movenext/dump").Body.String(), "10000 suspended machines at 7 places")
}

func TestOnlyThisComputerMayAsk(t *testing.T) {
	for from, hosts := range map[string]map[string]int{
		"127.0.0.1:1": {"localhost:1": 200, "127.0.0.1": 200, "[::1]:80": 200, "[::1]": 200, "evil.example:1": 403, "": 403},
		"[::1]:1":     {"localhost": 200},
		"10.0.0.1:1":  {"localhost": 403},
		"":            {"localhost": 403},
	} {
		for host, status := range hosts {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Host = from, host
			w := httptest.NewRecorder()
			inspect.Handler().ServeHTTP(w, r)
			assert.Equal(t, status, w.Code, "%q %q", from, host)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	w := httptest.NewRecorder()
	inspect.Handler(inspect.Remote()).ServeHTTP(w, r)
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Contains(t, ask("/").Body.String(), "not tracked")
}

func TestThePageLoadsItselfAgain(t *testing.T) {
	for query, want := range map[string]string{"?live=2&from=7": `<meta http-equiv="refresh" content="2">`, "?from=7": `href="?from=7&amp;live=2"`} {
		assert.Contains(t, ask("/"+query).Body.String(), want)
	}
	for _, query := range []string{"", "?live=0", "?live=-1", "?live=x", "?live=1.5"} {
		assert.NotContains(t, ask("/"+query).Body.String(), "http-equiv", query)
	}
}

func TestHostileNamesAreEscapedAndCut(t *testing.T) {
	defer inspect.Track()()
	hostile := `</script><script>alert(1)</script>` + strings.Repeat("x", 1<<20)
	s := newStuck()
	j := s.namedAsync(context.Background(), hostile)
	for inspect.Snapshot().Suspended < 2 {
		runtime.Gosched()
	}
	for _, path := range []string{"/", "/dump"} {
		body := ask(path).Body.String()
		assert.Less(t, len(body), 20_000, path)
		assert.Contains(t, body, "alert(1)")
		if path == "/" {
			assert.NotContains(t, body, "<script")
		}
	}
	s.source.TrySet(1, nil)
	_, err := j.Await()
	require.NoError(t, err)
}

func TestManyClientsAskAtOnce(t *testing.T) {
	defer inspect.Track()()
	_, _, end := hang(t)
	defer end()
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			w := ask([]string{"/", "/dump", "/?from=3", "/?from=-1", "/?from=x", "/" + inspect.ProfileName}[i%6])
			assert.Equal(t, http.StatusOK, w.Code)
			assert.Positive(t, w.Body.Len())
		})
	}
	all.Wait()
}

// Each answer has the headers, a refusal and the text too.
func TestNoPageCanBeFramedOrTakenForAnother(t *testing.T) {
	for _, path := range []string{"/", "/dump", "/" + inspect.ProfileName} {
		for _, host := range []string{"localhost:6060", "evil.example"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.RemoteAddr, r.Host = "127.0.0.1:4000", host
			w := httptest.NewRecorder()
			inspect.Handler().ServeHTTP(w, r)
			assert.Contains(t, w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			assert.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		}
	}
}
