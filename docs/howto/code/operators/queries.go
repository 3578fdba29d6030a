package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/movenext/movenext/parallel"
)

type customer struct {
	id   int
	name string
}

type order struct {
	customer int
	items    []string
}

// join returns a line for each order and the customer who has the same number: Join.
func join(ctx context.Context, orders []order, customers []customer) ([]string, error) {
	byID, err := parallel.GroupBy(ctx, customers, func(_ context.Context, c customer) (int, error) { return c.id, nil })
	if err != nil {
		return nil, err
	}
	lines, err := parallel.Map(ctx, orders, func(_ context.Context, o order) (some []string, err error) {
		for _, c := range byID[o.customer] {
			some = append(some, fmt.Sprint(c.name, len(o.items)))
		}
		return some, nil
	})
	return slices.Concat(lines...), err
}

// allItems returns the items of all orders: SelectMany.
func allItems(ctx context.Context, orders []order) ([]string, error) {
	lists, err := parallel.Map(ctx, orders, func(_ context.Context, o order) ([]string, error) { return o.items, nil })
	return slices.Concat(lists...), err
}

// sums returns the sum of each pair of numbers, as long as both slices have one: Zip.
func sums(ctx context.Context, a, b []int) ([]int, error) {
	both := make([]int, min(len(a), len(b)))
	err := parallel.For(ctx, 0, len(both), func(_ context.Context, i int) error {
		both[i] = a[i] + b[i]
		return nil
	})
	return both, err
}

func queries(ctx context.Context) {
	customers := []customer{{1, "Ann"}, {2, "Bob"}, {2, "Bea"}}
	orders := []order{{2, []string{"tea", "milk"}}, {1, []string{"cup"}}, {3, nil}}
	print := func(name string, all any, err error) { fmt.Printf("%-11s %v %v\n", name, all, err) }
	lines, err := join(ctx, orders, customers)
	print("Join", lines, err)
	items, err := allItems(ctx, orders)
	print("SelectMany", items, err)
	both, err := sums(ctx, []int{1, 2, 3}, []int{10, 20})
	print("Zip", both, err)
}
