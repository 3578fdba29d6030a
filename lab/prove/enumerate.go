package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/movenext/movenext/lab/prove/batch"
	"github.com/movenext/movenext/lab/prove/forms"
)

func enumerate(ctx context.Context, args []string, out io.Writer) error {
	c := newCampaign(out)
	c.preamble = forms.Preamble
	flags := flag.NewFlagSet("enumerate", flag.ContinueOnError)
	size := flags.Int("size", 1, "how many forms are inside one another")
	form := flags.String("form", "", "only forms whose types and text contain this")
	every := flags.Int("every", 1, "only one of so many cases")
	flags.Uint64Var(&c.first, "from", 0, "go on with this case")
	n := flags.Uint64("n", 1<<40, "how many cases, with those that are not Go")
	list := flags.Bool("list", false, "print the forms and how many cases each has, and run none")
	dir := flags.String("dir", "", "work here, and leave the files of the last batches; otherwise in a temporary folder")
	jobs := flags.Int("jobs", runtime.GOMAXPROCS(0), "how many batches to work on at once")
	flags.Uint64Var(&c.size, "batch", 400, "how many programs share a binary")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cases := selectCases(*size, *form, max(1, *every))
	if *list {
		listForms(out, cases)
		return nil
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	c.next, c.last = c.first, uint64(len(cases))
	c.last = min(c.last, c.first+*n)
	c.write = func(n uint64) (batch.Program, error) {
		name := fmt.Sprintf("P%d", n)
		source := cases[n].Source(name)
		if !forms.IsGo(source) {
			source = ""
		}
		return batch.Program{Name: name, Source: source}, nil
	}
	fmt.Fprintf(out, "%d cases up to size %d, those that are not Go among them\n", len(cases), *size)
	if err := c.run(ctx, path, *jobs); err != nil {
		return err
	}
	return c.conclude()
}

// selectCases returns every nth case of the forms that contain a text.
func selectCases(size int, form string, every int) []forms.Case {
	var list []forms.Case
	n := 0
	for c := range forms.Cases(size) {
		if !strings.Contains(c.Form(), form) {
			continue
		}
		if n++; n%every == 0 {
			list = append(list, c)
		}
	}
	return list
}

// listForms prints forms.
func listForms(out io.Writer, cases []forms.Case) {
	last, n, all := "", 0, 0
	for i, c := range cases {
		if c.Form() != last {
			last, n, all = c.Form(), 0, all+1
		}
		if n++; i+1 == len(cases) || cases[i+1].Form() != last {
			fmt.Fprintf(out, "%6d %q\n", n, last)
		}
	}
	fmt.Fprintf(out, "%d forms, %d cases\n", all, len(cases))
}
