// Functions that take functions: a retry, a unit of work, a visitor.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

// retry calls op until it succeeds, n times at most.
//
//movenext:async
func retry[T any](ctx context.Context, n int, op func(context.Context) (T, error)) (v T, err error) {
	for range n {
		if v, err = op(ctx); err == nil {
			return v, nil
		}
		if err := job.Sleep(ctx, time.Millisecond); err != nil {
			return v, err
		}
	}
	return v, err
}

// Tx is a unit of work.
type Tx struct{ changes []string }

// withTx calls body with a transaction, and commits or rolls back what body has changed.
//
//movenext:async
func withTx(ctx context.Context, body func(context.Context, *Tx) error) (err error) {
	tx := &Tx{}
	defer func() {
		if err != nil {
			fmt.Println("roll back", tx.changes)
			return
		}
		err = job.Sleep(ctx, time.Millisecond) // the database answers
		fmt.Println("commit", tx.changes)
	}()
	return body(ctx, tx)
}

// Node is a node of a tree.
type Node struct {
	Name     string
	Children []*Node
}

// Walk calls visit for each node of the tree, parents first, until visit returns an error.
//
//movenext:async
func (n *Node) Walk(visit func(n *Node, depth int) error) error { return n.walk(0, visit) }

//movenext:async
func (n *Node) walk(depth int, visit func(n *Node, depth int) error) error {
	if err := visit(n, depth); err != nil {
		return err
	}
	for _, child := range n.Children {
		if err := child.walk(depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

type client struct{ busy int }

// size fetches the size of a file. The first requests fail.
//
//movenext:async
func (c *client) size(ctx context.Context) (int, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return 0, err
	}
	if c.busy > 0 {
		c.busy--
		return 0, errors.New("busy")
	}
	return 7, nil
}

//movenext:async
func measure(ctx context.Context, c *client, root *Node) (total int, err error) {
	err = root.Walk(func(n *Node, depth int) error {
		size, err := retry(ctx, 3, c.size)
		total += size
		fmt.Printf("%*s%s %d\n", 2*depth, "", n.Name, size)
		return err
	})
	return total, err
}

//movenext:async
func run(ctx context.Context) error {
	c := &client{busy: 2}
	tree := &Node{"home", []*Node{{"notes", nil}, {"music", []*Node{{"songs", nil}}}}}
	return withTx(ctx, func(ctx context.Context, tx *Tx) error {
		total, err := measure(ctx, c, tree)
		tx.changes = append(tx.changes, fmt.Sprint("total ", total))
		return err
	})
}

func main() {
	ctx := context.Background()
	_, err := runAsync(ctx).Wait(ctx)
	fmt.Println(err)
}
