package transpose

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// compare runs the programs of the chunk in both forms.
//
// All packages of a binary are initialised whichever program runs, so a package that prints or
// fails during initialisation spoils the other programs. If at least half of the programs
// misbehave as plain Go, they are built again in smaller chunks, until the culprit is alone.
func (r *runner) compare(ctx context.Context) error {
	var spoilt []*program
	for _, p := range r.programs {
		if plain := r.run(ctx, p, "plain"); plain != p.expected {
			spoilt = append(spoilt, p)
			continue
		}
		r.count(p)
		if machine := r.run(ctx, p, "machine"); machine != p.expected {
			r.differs(p, difference(p.expected, machine))
			continue
		}
		r.report.Same++
	}
	if len(r.programs) > 1 && 2*len(spoilt) >= len(r.programs) {
		half := (len(spoilt) + 1) / 2
		return errors.Join(r.chunk(ctx, paths(spoilt[:half])), r.chunk(ctx, paths(spoilt[half:])))
	}
	for _, p := range spoilt {
		r.leave(p.path, "its plain form, as a package with suspension points and twins, is not what it was")
	}
	return nil
}

func paths(programs []*program) (list []string) {
	for _, p := range programs {
		list = append(list, p.path)
	}
	return list
}

// count counts the functions of a program that ran.
func (r *runner) count(p *program) {
	r.report.Functions += p.annotated
	r.report.Lowered += p.file.Functions
	for _, why := range p.refused {
		r.report.Refused[why]++
	}
}

// run returns a program's output, and how it ended if it failed.
func (r *runner) run(ctx context.Context, p *program, form string) string {
	ctx, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	command := exec.CommandContext(ctx, r.binary(), p.name, form)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		fmt.Fprintf(&out, "\n%v %v\n", err, cmp.Or(context.Cause(ctx), error(nil)))
	}
	return out.String()
}

// difference returns the first line that differs from what is expected, and the lines after it.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range b {
		if i >= len(a) || a[i] != b[i] {
			return fmt.Sprintf("line %d: %s", i+1, strings.Join(b[i:min(i+6, len(b))], "\n\t"))
		}
	}
	return "it ends early: " + fmt.Sprint(len(b)-1, " lines of ", len(a)-1)
}
