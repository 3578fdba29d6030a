package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// world receives the effects of orders: a warehouse and a bank.
type world interface {
	// do has an effect once for each key, however often it is called, and returns its id.
	do(ctx context.Context, effect, key string, price int) (id string, err error)
}

// ledger is a world that keeps its effects in memory, and counts the calls.
type ledger struct {
	mu      sync.Mutex
	effects map[string]map[string]int // prices by effect and key
	calls   int
}

func newLedger() *ledger {
	return &ledger{effects: map[string]map[string]int{"reserve": {}, "unreserve": {}, "charge": {}}}
}

func (l *ledger) do(_ context.Context, effect, key string, price int) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if l.effects[effect] == nil || key == "" {
		return "", fmt.Errorf("orders: there is no effect %q with key %q", effect, key)
	}
	l.effects[effect][key] = price
	return key, nil
}

// served returns how many calls there were.
func (l *ledger) served() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

// of counts the keys of an effect by order: keys begin with the order's id.
func (l *ledger) of(effect string) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := map[string]int{}
	for key := range maps.Keys(l.effects[effect]) {
		order, _, _ := strings.Cut(key, "/")
		count[order]++
	}
	return count
}

// ServeHTTP is the ledger as a service: for steps in other processes.
func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	price, err := strconv.Atoi(r.FormValue("price"))
	if err == nil {
		_, err = l.do(r.Context(), r.FormValue("effect"), r.FormValue("key"), price)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, r.FormValue("key")) // it asks again if it gets no answer
}

// remote is a ledger in another process.
type remote struct{ url string }

func (r remote) do(ctx context.Context, effect, key string, price int) (string, error) {
	form := url.Values{"effect": {effect}, "key": {key}, "price": {strconv.Itoa(price)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // it has been read
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("orders: the ledger says %s", strings.TrimSpace(string(body)))
	}
	return string(body), err
}
