package transpose

// pointSource is the package of the suspension points. Programs reach some of them millions of
// times, so only the first ones of each run, and a few later ones, suspend.
const pointSource = `package point

import (
	"sync/atomic"

	"github.com/movenext/movenext/job"
)

var passed atomic.Int64

func Here() {}

func HereAsync() *job.Job[job.Void] {
	n := passed.Add(1)
	if n > 3000 && n%1000 != 0 {
		return job.FromResult(job.Void{})
	}
	source := job.NewSource[job.Void]()
	if n%3 == 0 {
		source.TrySetResult(job.Void{})
	} else {
		go source.TrySetResult(job.Void{})
	}
	return source.Job()
}
`

// mainSource runs one of the programs in one of the two forms.
const mainSource = `package main

import (
	"context"
	"os"
%s)

func main() {
	plain, twin := programs(os.Args[1])
	if os.Args[2] == "plain" {
		plain()
		return
	}
	if _, err := twin().Wait(context.Background()); err != nil {
		panic(err)
	}
}

func programs(name string) (func(), func() *job.Job[job.Void]) {
	switch name {
%s	}
	panic(name)
}
`
