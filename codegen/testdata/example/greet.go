// Package example has one annotated function.
package example

import (
	"context"

	"github.com/movenext/movenext/job"
)

//movenext:async
func greet(ctx context.Context, name string) (string, error) {
	err := job.Sleep(ctx, 1)
	return "Hello, " + name, err
}
