package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/natsstore/natstest"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/sqlitestore"
	"github.com/movenext/movenext/durable/stores"
)

// kinds are the stores that can be measured.
var kinds = []string{"sqlite", "postgres", "nats", "cluster"}

// errKind is the error for other kinds.
var errKind = fmt.Errorf("durables: the stores are %s", strings.Join(kinds, ", "))

// keptStore is a store used by one measurement only.
type keptStore struct {
	stores.Store
	kind    string
	address string // at which another process can open it
	dir     string // of its files
	close   func() error
}

// keep makes a store of a kind: a SQLite file, a Postgres server, a NATS server in this process,
// or a cluster of three. All of them sync each write.
func keep(ctx context.Context, kind string) (k *keptStore, err error) {
	dir, err := os.MkdirTemp("", "durables")
	if err != nil {
		return nil, err
	}
	k = &keptStore{kind: kind, dir: dir}
	soon, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	end := func() {}
	switch kind {
	case "sqlite":
		k.address = filepath.Join(dir, "measured.db")
	case "postgres":
		var server *pgtest.Server
		if server, err = pgtest.Start(soon, dir); err == nil {
			k.address, end = server.Address(), server.Stop
		}
	case "nats":
		k.address, end, err = serveNats(dir, 1)
	case "cluster":
		k.address, end, err = serveNats(dir, 3)
	default:
		err = errKind
	}
	var closed func() error
	if err == nil {
		k.Store, closed, err = reach(soon, kind, k.address)
	}
	if err != nil {
		end()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	k.close = func() error {
		err := closed()
		end()
		return errors.Join(err, os.RemoveAll(dir))
	}
	return k, nil
}

// serveNats starts servers of a plan.
func serveNats(dir string, n int) (address string, end func(), err error) {
	var servers []*natstest.Server
	end = func() {
		for _, s := range servers {
			s.Stop()
		}
	}
	plan, err := natstest.NewPlan(dir, n)
	for i := 0; i < n && err == nil; i++ {
		var s *natstest.Server
		if s, err = plan.Start(i); err == nil {
			servers = append(servers, s)
		}
	}
	if err != nil {
		end()
		return "", func() {}, err
	}
	return plan.URL(), end, nil
}

// reach opens the store of a kind at an address.
func reach(ctx context.Context, kind, address string) (stores.Store, func() error, error) {
	switch kind {
	case "sqlite":
		s, err := sqlitestore.Open(address)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	case "postgres":
		s, err := pgstore.Open(ctx, address)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	case "nats", "cluster":
		s, err := natsstore.Connect(ctx, address, natsstore.Patience(time.Minute))
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	return nil, nil, errKind
}

// kindsOf splits a comma-separated list of kinds.
func kindsOf(list string) []string { return strings.Split(list, ",") }
