// A handler that asks two backends at once, for as long as the request lives.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// backend answers after a while. One key makes it slow, another makes it crash.
//
//movenext:async
func backend(ctx context.Context, name, key string) (string, error) {
	delay := time.Millisecond
	if key == "slow" {
		delay = time.Hour
	}
	if err := job.Sleep(ctx, delay); err != nil {
		return "", err
	}
	if key == "broken" {
		panic("no such shard")
	}
	return name + " of " + key, nil
}

// page asks both backends at once: the first call is started, the second one awaited.
//
//movenext:async
func page(ctx context.Context, key string) (string, error) {
	price := backendAsync(ctx, "price", key)
	stock, err := backend(ctx, "stock", key)
	if err != nil {
		return "", err
	}
	text, err := price.Await()
	return text + ", " + stock, err
}

func handle(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	text, err := pageAsync(ctx, r.FormValue("key")).Wait(r.Context())
	var crash *job.PanicError
	switch {
	case errors.As(err, &crash):
		http.Error(w, "internal error", http.StatusInternalServerError)
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, "too slow", http.StatusGatewayTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		_, _ = fmt.Fprint(w, text)
	}
}

func main() {
	hurried, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	ask(context.Background(), "tea")
	ask(hurried, "slow")
	ask(context.Background(), "broken")
}

// ask makes a request without a network.
func ask(ctx context.Context, key string) {
	w := httptest.NewRecorder()
	handle(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?key="+key, http.NoBody))
	fmt.Printf("%d %q\n", w.Code, w.Body.String())
}
