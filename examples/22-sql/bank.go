package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// bank is a driver of package database/sql for a database in memory that understands two
// statements: LIST, and ADD name amount. One transaction runs at a time.
type bank struct {
	busy     sync.Mutex // held by a transaction
	balances map[string]int
}

var errNoAccount = errors.New("no such account")

func newBank(owners ...string) *bank {
	b := &bank{balances: map[string]int{}}
	for _, name := range owners {
		b.balances[name] = 100
	}
	return b
}

// Connect implements driver.Connector.
func (b *bank) Connect(context.Context) (driver.Conn, error) { return &connection{bank: b}, nil }

// Driver implements driver.Connector.
func (b *bank) Driver() driver.Driver { return b }

// Open implements driver.Driver.
func (b *bank) Open(string) (driver.Conn, error) { return &connection{bank: b}, nil }

type connection struct {
	bank    *bank
	changed map[string]int // what a transaction sees; nil outside a transaction
}

// Prepare implements driver.Conn.
func (c *connection) Prepare(query string) (driver.Stmt, error) {
	return nil, fmt.Errorf("%s: nothing is prepared here", query)
}

// Close implements driver.Conn.
func (c *connection) Close() error { return nil }

// Begin implements driver.Conn.
func (c *connection) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx.
func (c *connection) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	c.bank.busy.Lock()
	c.changed = maps.Clone(c.bank.balances)
	return c, nil
}

// Commit implements driver.Tx.
func (c *connection) Commit() error {
	c.bank.balances = c.changed
	return c.Rollback()
}

// Rollback implements driver.Tx.
func (c *connection) Rollback() error {
	c.changed = nil
	c.bank.busy.Unlock()
	return nil
}

// ExecContext implements driver.ExecerContext.
func (c *connection) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if query != "ADD" || c.changed == nil {
		return nil, fmt.Errorf("%s: not understood", query)
	}
	name, _ := args[0].Value.(string)
	amount, _ := args[1].Value.(int64)
	if _, ok := c.changed[name]; !ok {
		return nil, errNoAccount
	}
	c.changed[name] += int(amount)
	return driver.RowsAffected(1), nil
}

// QueryContext implements driver.QueryerContext.
func (c *connection) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if query != "LIST" {
		return nil, fmt.Errorf("%s: not understood", query)
	}
	c.bank.busy.Lock()
	defer c.bank.busy.Unlock()
	return &listing{names: slices.Sorted(maps.Keys(c.bank.balances)), balances: maps.Clone(c.bank.balances)}, nil
}

// listing is the result of LIST.
type listing struct {
	names    []string
	balances map[string]int
}

// Columns implements driver.Rows.
func (l *listing) Columns() []string { return []string{"owner", "balance"} }

// Close implements driver.Rows.
func (l *listing) Close() error {
	fmt.Println("  rows closed,", len(l.names), "left")
	return nil
}

// Next implements driver.Rows.
func (l *listing) Next(dest []driver.Value) error {
	if len(l.names) == 0 {
		return io.EOF
	}
	dest[0], dest[1] = l.names[0], int64(l.balances[l.names[0]])
	l.names = l.names[1:]
	return nil
}
