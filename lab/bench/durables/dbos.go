package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/movenext/movenext/durable/pgstore/pgtest"
)

// dbosWork is Work in the form that DBOS needs.
func dbosWork(ctx dbos.Context, steps int) (sum int, err error) {
	for range steps {
		sum, err = dbos.RunAsStep(ctx, func(context.Context) (int, error) { return sum + 1, nil })
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// openDBOS starts DBOS with its default settings.
func openDBOS(ctx context.Context, server *pgtest.Server) (*contender, error) {
	c, err := dbos.NewContext(ctx, dbos.Config{
		AppName:     "durables",
		DatabaseURL: fmt.Sprintf("postgres://postgres@/dbos?host=%s", server.Dir()),
		Logger:      slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	dbos.RegisterWorkflow(c, dbosWork)
	if err := dbos.Launch(c); err != nil {
		return nil, err
	}
	return &contender{"DBOS on Postgres", func(_ context.Context, id string, steps int) (int, error) {
		h, err := dbos.RunWorkflow(c, dbosWork, steps, dbos.WithWorkflowID(id))
		if err != nil {
			return 0, err
		}
		return h.GetResult()
	}, func() error { return dbos.Shutdown(c, 10*time.Second) }}, nil
}
