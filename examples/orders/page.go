package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/movenext/movenext/durable"
)

// page serves the page of the orders in a store until ctx ends.
func page(ctx context.Context, name, address string) (err error) {
	store, err := keep(ctx, name, "orders.data")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	engine, err := durable.Open(ctx, store.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Shutdown(context.Background())) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: guard(front(engine), names(listener.Addr())), ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	fmt.Printf("the orders are on http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// names returns the names, with ports, under which browsers of this computer reach a listener. Add
// the names of your site if you serve it elsewhere.
func names(at net.Addr) []string {
	_, port, _ := net.SplitHostPort(at.String())
	list := []string{at.String()}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(name, port))
	}
	return list
}

// guard keeps other sites from using the page with their forms, in their frames, or under names of
// theirs; docs/howto/expose-a-page.md has the reasons.
func guard(next http.Handler, hosts []string) http.Handler {
	next = http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(next, 64<<10))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
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

// front is the page and its buttons.
func front(engine *durable.Engine) http.Handler {
	orders := durable.Serve(engine, OrderDurable, &Shop{world: newLedger()})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		list, err := engine.List(r.Context(), durable.Filter{After: r.FormValue("after")})
		if err == nil {
			err = pageTemplate.Execute(w, list)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	button := func(path string, press func(ctx context.Context, id string) error) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if err := press(r.Context(), r.FormValue("id")); err != nil {
				http.Error(w, err.Error(), http.StatusConflict)
				return
			}
			http.Redirect(w, r, "/", http.StatusSeeOther)
		})
	}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = engine.Metrics().WriteText(w) // the client has gone
	})
	button("/order", func(ctx context.Context, id string) error {
		_, err := orders.Start(ctx, cmp.Or(id, time.Now().UTC().Format("order-20060102-150405.000")), Request{Items: []string{"cup", "pot"}, Card: "4711"})
		return err
	})
	button("/approve", func(ctx context.Context, id string) error {
		return engine.Signal(ctx, id, "approval", Approval{Yes: true})
	})
	button("/refuse", func(ctx context.Context, id string) error { return engine.Signal(ctx, id, "approval", Approval{}) })
	button("/cancel", engine.Cancel)
	button("/resume", engine.Resume)
	return mux
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"text":  func(raw json.RawMessage) string { return string(raw) },
	"until": func(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" },
}).Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Orders</title>
<style>body{font:1em system-ui;margin:2em}td,th{text-align:left;vertical-align:top;padding:.3em 1em .3em 0}form{display:inline}code{display:block}</style>
<h1>Orders</h1>
<form method="post" action="/order"><button>New order</button></form>
<table><tr><th>Order<th>Status<th>Where<th>Values<th>
{{range .}}{{$id := .ID}}<tr><td>{{.ID}}<td>{{.Status}} {{.Reason}}
<td>{{if .Status.Ended}}{{else}}{{.Function}}, {{.At}}{{with .Step}}, step {{.}}{{end}}{{with .Signal}}, waits for {{.}}{{end}}{{if not .Until.IsZero}} until {{until .Until}}{{end}}{{end}}
<td>{{range $name, $value := .Locals}}<code>{{$name}} = {{text $value}}</code>{{end}}
<td>{{if eq .Status "waiting"}}
<form method="post" action="/approve"><button name="id" value="{{$id}}">approve</button></form>
<form method="post" action="/refuse"><button name="id" value="{{$id}}">refuse</button></form>
<form method="post" action="/cancel"><button name="id" value="{{$id}}">cancel</button></form>{{end}}
{{if eq .Status "stuck"}}<form method="post" action="/resume"><button name="id" value="{{$id}}">resume</button></form>{{end}}
{{end}}</table></html>
`))
