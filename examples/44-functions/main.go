// Command 44-functions has functions that take functions: the middleware of a small web framework,
// a unit of work, and a visitor over a tree that fetches. All of them suspend. Chapter 20 of the
// book shows each beside its form in C# or Kotlin.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
)

var (
	errBusy   = errors.New("busy")
	errNoUser = errors.New("no such user")
	errNoPage = errors.New("no such page")
)

// request is what a client asks for. A token stands for a user.
type request struct{ path, token string }

// The framework: each middleware makes a handler from the next one.

// handler answers a request. The annotation lets handlers suspend wherever they are kept.
//
//movenext:async
type handler func(ctx context.Context, r request) (string, error)

// logged prints the outcome of a request.
//
//movenext:async
func logged(next handler) handler {
	return func(ctx context.Context, r request) (string, error) {
		page, err := next(ctx, r)
		fmt.Printf("%s: %q, %v\n", r.path, page, err)
		return page, err
	}
}

type userKey struct{}

// authorised looks up the user of a request.
//
//movenext:async
func authorised(next handler) handler {
	return func(ctx context.Context, r request) (string, error) {
		name, err := retry.Do(ctx, retry.Constant(time.Millisecond), func(ctx context.Context) (string, error) {
			return lookUp(ctx, r.token)
		}, retry.Attempts(3))
		if err != nil {
			return "", err
		}
		return next(context.WithValue(ctx, userKey{}, name), r)
	}
}

// router keeps a handler for each path.
type router struct {
	routes  map[string]handler
	missing handler
}

// newRouter sets up this program's router. It is annotated, so that its handlers suspend.
//
//movenext:async
func newRouter() *router {
	rt := &router{routes: map[string]handler{
		"/thread": thread,
		"/move":   func(ctx context.Context, _ request) (string, error) { return move(ctx, 30) },
		"/moves":  func(ctx context.Context, _ request) (string, error) { return move(ctx, 1000) },
	}}
	for path, h := range rt.routes {
		rt.routes[path] = logged(authorised(h))
	}
	rt.missing = logged(authorised(func(context.Context, request) (string, error) { return "", errNoPage }))
	return rt
}

//movenext:async
func (rt *router) serve(ctx context.Context, r request) (string, error) {
	h, ok := rt.routes[r.path]
	if !ok {
		h = rt.missing
	}
	return h(ctx, r)
}

// The unit of work.

// tx is a transaction on accounts.
type tx struct{ accounts map[string]int }

// add changes an account. The database takes its time.
//
//movenext:async
func (t *tx) add(ctx context.Context, account string, amount int) error {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return err
	}
	if t.accounts[account]+amount < 0 {
		return fmt.Errorf("%s has %d", account, t.accounts[account])
	}
	t.accounts[account] += amount
	return nil
}

// withTx calls body with a transaction, and then commits it or rolls it back.
//
//movenext:async
func withTx(ctx context.Context, body func(context.Context, *tx) error) (err error) {
	t := &tx{accounts: map[string]int{"ann": 100, "bob": 0}}
	defer func() {
		end := "commit"
		if err != nil {
			end = "roll back"
		}
		err = errors.Join(err, job.Sleep(ctx, time.Millisecond)) // the database answers
		fmt.Println(end)
	}()
	return body(ctx, t)
}

// move moves money from the user's account.
//
//movenext:async
func move(ctx context.Context, amount int) (page string, err error) {
	user := ctx.Value(userKey{}).(string)
	err = withTx(ctx, func(ctx context.Context, t *tx) error {
		if err := t.add(ctx, "bob", amount); err != nil {
			return err
		}
		if err := t.add(ctx, user, -amount); err != nil {
			return err
		}
		page = fmt.Sprintf("%s has %d, bob has %d", user, t.accounts[user], t.accounts["bob"])
		return nil
	})
	return page, err
}

// The visitor.

// comment is a node of a thread.
type comment struct {
	author  string
	answers []*comment
}

// walk calls visit for each comment, before its answers.
//
//movenext:async
func (c *comment) walk(depth int, visit func(c *comment, depth int) error) error {
	if err := visit(c, depth); err != nil {
		return err
	}
	for _, answer := range c.answers {
		if err := answer.walk(depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// thread fetches the name of each author.
//
//movenext:async
func thread(ctx context.Context, _ request) (page string, err error) {
	first := &comment{"1", []*comment{{"2", nil}, {"1", []*comment{{"2", nil}}}}}
	err = first.walk(0, func(c *comment, depth int) error {
		name, err := lookUp(ctx, c.author)
		page += fmt.Sprint(depth, " ", name, " ")
		return err
	})
	return page, err
}

// users is a service that is busy at first.
type users struct{ busy int }

type usersKey struct{}

//movenext:async
func lookUp(ctx context.Context, id string) (string, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return "", err
	}
	if s := ctx.Value(usersKey{}).(*users); s.busy > 0 {
		s.busy--
		return "", errBusy
	}
	name, ok := map[string]string{"1": "ann", "2": "bob"}[id]
	if !ok {
		return "", retry.Permanent(errNoUser)
	}
	return name, nil
}

//movenext:async
func run(ctx context.Context) {
	site := newRouter()
	for _, r := range []request{{"/thread", "1"}, {"/move", "1"}, {"/moves", "1"}, {"/thread", "7"}, {"/", "2"}} {
		_, _ = site.serve(ctx, r) // logged has printed the outcome
	}
}

func main() {
	ctx := context.WithValue(context.Background(), usersKey{}, &users{busy: 2})
	if _, err := runAsync(ctx).Wait(ctx); err != nil {
		fmt.Println(err)
	}
}
