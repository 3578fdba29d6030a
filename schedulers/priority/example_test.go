package priority_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/priority"
)

func Example() {
	beneath := manual.New() // so that the output is the same each time; a pool otherwise
	s := priority.New(beneath, 3)

	run := func(g *priority.Group, what string) {
		job.Go(context.Background(), func(context.Context) error {
			fmt.Println(what)
			return nil
		}, job.On(g))
	}
	report, mail := s.Group(2), s.Group(2)
	run(report, "report")
	run(mail, "mail")
	run(s.Group(0), "payment")
	mail.Move(1) // a user is waiting for it

	beneath.RunAll()
	// Output:
	// payment
	// mail
	// report
}
