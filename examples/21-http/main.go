// Command 21-http answers requests with machines. Package net/http gives each request a goroutine,
// and the handler blocks it once: while it waits for its machine. The machine waits for three slow
// services at once, and these waits hold no goroutine. When a client disconnects, the request's
// context ends all of them.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/movenext/movenext/job"
)

// ask answers after a while, or never.
//
//movenext:async
func ask(ctx context.Context, place, user string) (string, error) {
	patience := time.Millisecond
	if user == "Never" {
		patience = time.Hour
	}
	if err := job.Sleep(ctx, patience); err != nil {
		return "", fmt.Errorf("%s: %w", place, err)
	}
	return place + " of " + user, nil
}

//movenext:async
func dashboard(ctx context.Context, user string) (text string, err error) {
	orders, news := askAsync(ctx, "orders", user), askAsync(ctx, "news", user) // both at once
	profile, err := ask(ctx, "profile", user)
	if err != nil {
		return "", err
	}
	parts, err := job.WhenAll(orders, news).Await()
	if err != nil {
		return "", err
	}
	return fmt.Sprintln(profile, "|", parts[0], "|", parts[1]), nil
}

type server struct {
	started chan string // the user being served
	ended   chan error  // how it ended
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := html.EscapeString(r.FormValue("user"))
	machine := dashboardAsync(r.Context(), user)
	s.started <- user
	text, err := machine.Await() // the machine ends with the request: the wait needs no bound
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	} else {
		_, _ = io.WriteString(w, text)
	}
	s.ended <- err
}

// get is a request as a job: the standard library's client blocks, so it runs in the
// blocking lane.
func get(ctx context.Context, client *http.Client, url string) *job.Job[string] {
	return job.Blocking(ctx, func(ctx context.Context) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return "", err
		}
		response, err := client.Do(request)
		if err != nil {
			return "", err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return string(body), err
	})
}

func main() {
	s := &server{started: make(chan string), ended: make(chan error)}
	web := httptest.NewServer(s)
	defer web.Close()
	ctx := context.Background()

	answer := get(ctx, web.Client(), web.URL+"?user=Ann")
	fmt.Println("serving", <-s.started)
	fmt.Println("error:", <-s.ended)
	text, err := answer.Wait(ctx)
	fmt.Print(text)
	fmt.Println("error:", err)

	impatient, leave := context.WithCancel(ctx)
	answer = get(impatient, web.Client(), web.URL+"?user=Never")
	fmt.Println("serving", <-s.started)
	leave() // the client goes away
	fmt.Println("canceled:", errors.Is(<-s.ended, context.Canceled))
	_, err = answer.Wait(ctx)
	fmt.Println("status of the request:", answer.Status(), errors.Is(err, context.Canceled))
}
