package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// keepGenerating generates after each change until the command is interrupted. A correction is
// told as the findings were.
func (o *options) keepGenerating(patterns []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wrong := false
	codegen.Watch(ctx, o.config, func(result *codegen.Result, err error) {
		if err == nil {
			err = o.print(stdout, stderr, result)
		}
		if err != nil {
			fmt.Fprintf(printed{stderr}, "movenext: %s\n", strings.TrimPrefix(err.Error(), "codegen: "))
		}
		was := wrong
		if wrong = err != nil || len(result.Diagnostics) > 0; was && !wrong {
			fmt.Fprintln(stderr, "movenext: no findings")
		}
	}, patterns...)
	return exitOK
}
