package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/sqlitestore"
	"github.com/movenext/movenext/durable/stores"
)

// Names of stores on servers that are started for them: Postgres, NATS inside this process, and a
// cluster of three NATS servers, each a process.
const (
	postgres    = "postgres"
	natsServer  = "nats"
	natsCluster = "cluster"
)

// storage is where orders are kept.
type storage struct {
	Store stores.Store
	name  string // by which another process opens it
	close func() error

	servers *servers // of a cluster that was started for it
}

// nameFor is the name by which a worker opens the store.
func (s *storage) nameFor(worker int) string {
	if s.servers != nil {
		return s.servers.network.url(worker)
	}
	return s.name
}

// links are those from a worker to the store; nil: they cannot be cut.
func (s *storage) links(worker int) []*link {
	if s.servers == nil {
		return nil
	}
	return s.servers.network.clients[worker][:]
}

// keep opens a store: the address of a Postgres database or of NATS servers, one of the names
// above, or a file. A server is started in dir.
func keep(ctx context.Context, name, dir string) (*storage, error) {
	switch {
	case name == postgres:
		return serve(ctx, dir)
	case name == natsServer:
		s, err := natsstore.Embedded(dir, natsstore.Listen("127.0.0.1:0"))
		if err != nil {
			return nil, err
		}
		return &storage{Store: s, name: s.URL(), close: s.Close}, nil
	case name == natsCluster:
		return serveCluster(ctx, dir)
	case strings.HasPrefix(name, "nats://"), strings.HasPrefix(name, "tls://"):
		s, err := natsstore.Connect(ctx, name, natsstore.Patience(time.Minute))
		if err != nil {
			return nil, err
		}
		return &storage{Store: s, name: name, close: s.Close}, nil
	case strings.HasPrefix(name, "postgres://"), strings.HasPrefix(name, "postgresql://"), strings.Contains(name, "host="):
		s, err := pgstore.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		return &storage{Store: s, name: name, close: s.Close}, nil
	default:
		s, err := sqlitestore.Open(name)
		if err != nil {
			return nil, err
		}
		return &storage{Store: s, name: name, close: s.Close}, nil
	}
}

// serve starts a Postgres server for a store.
func serve(ctx context.Context, dir string) (*storage, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := pgtest.Start(soon, dir)
	if err != nil {
		return nil, err
	}
	s, err := pgstore.Open(soon, server.Address())
	if err != nil {
		server.Stop()
		return nil, err
	}
	return &storage{Store: s, name: server.Address(), close: func() error {
		err := s.Close()
		server.Stop()
		return err
	}}, nil
}

// temporary is keep for a store that is removed when it is closed, unless the name is an address.
func temporary(ctx context.Context, name string) (*storage, error) {
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = filepath.Join(dir, "orders.db")
	}
	s, err := keep(ctx, name, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	end := s.close
	s.close = func() error { return errors.Join(end(), os.RemoveAll(dir)) }
	return s, nil
}
