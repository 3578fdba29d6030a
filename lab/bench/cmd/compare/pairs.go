package main

import (
	"context"
	"fmt"
	"io"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/stats"
)

// version is one of the two compared versions.
type version struct {
	name string
	try  func(context.Context, childproc.Request) (childproc.Result, error)
}

// pair is a round of one version and a round of the other, one right after the other.
type pair struct{ old, new stats.Round }

// failures holds the reasons why contenders have no result, by contender.
type failures struct{ old, new map[string]string }

// runPairs runs the contenders of a workload in both versions. The version that runs first
// alternates from pair to pair, so that a slowdown over time affects both equally often.
func runPairs(ctx context.Context, older, newer version, work string, contenders []string, plan measure.Plan, pairs int, log io.Writer) ([]pair, failures, error) {
	var all []pair
	failed := failures{map[string]string{}, map[string]string{}}
	for i := range pairs {
		var p pair
		steps := []func() error{
			func() (err error) {
				p.old, err = round(ctx, older, work, contenders, plan, failed.old)
				return err
			},
			func() (err error) {
				p.new, err = round(ctx, newer, work, contenders, plan, failed.new)
				return err
			},
		}
		for step := range steps {
			if err := steps[(step+i)%2](); err != nil {
				return nil, failed, err
			}
		}
		all = append(all, p)
		fmt.Fprintf(log, "%s: pair %d of %d\n", work, i+1, pairs)
	}
	return all, failed, nil
}

// round makes each contender of a version run the workload once. It skips contenders that have
// already failed.
func round(ctx context.Context, v version, work string, contenders []string, plan measure.Plan, failed map[string]string) (stats.Round, error) {
	results := stats.Round{}
	for _, name := range contenders {
		if failed[name] != "" {
			continue
		}
		r, err := v.try(ctx, childproc.Request{Work: work, Contender: name, Plan: plan})
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", v.name, context.Cause(ctx))
		}
		if err != nil {
			failed[name] = err.Error()
			continue
		}
		results[name] = r
	}
	return results, nil
}
