// A page that other sites cannot use: not with a form of theirs, not in a frame, and not under a
// name of theirs.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// policy is what a page without scripts may load and do. A page with a script of its own names it
// by its hash.
const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxBody is the number of bytes of a request's body.
const maxBody = 64 << 10

// guard answers requests for the hosts, with ports, under which browsers reach this server.
func guard(next http.Handler, hosts ...string) http.Handler {
	next = http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(next, maxBody))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin")
		if !slices.Contains(hosts, r.Host) {
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	shop := http.NewServeMux()
	shop.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "orders") })
	shop.HandleFunc("POST /order", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "ordered") })
	server := guard(shop, "shop.example")

	send(server, "a reader", "GET", "shop.example", nil)
	send(server, "our form", "POST", "shop.example", map[string]string{"Sec-Fetch-Site": "same-origin"})
	send(server, "a form of another site", "POST", "shop.example", map[string]string{"Sec-Fetch-Site": "cross-site"})
	send(server, "the same in an old browser", "POST", "shop.example", map[string]string{"Origin": "https://evil.example"})
	send(server, "a name that resolves to us", "GET", "evil.example", nil)
	send(server, "a program", "POST", "shop.example", nil)
}

// send prints what the server answers.
func send(server http.Handler, who, method, host string, header map[string]string) {
	r := httptest.NewRequest(method, "/order", nil)
	r.Host = host
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	fmt.Printf("%-27s %d %s\n", who, w.Code, strings.TrimSpace(w.Body.String()))
}
