// Package pgstore keeps durable instances in a Postgres database, for any number of workers on
// any number of hosts. The driver is github.com/jackc/pgx.
//
//	store, err := pgstore.Open(ctx, "postgres://orders@db/orders")
//	engine, err := durable.Open(ctx, store)
//
// # What is durable when
//
// Each write is one statement and one commit. The server has synced it to its disk when the call
// returns, unless the database is configured otherwise (synchronous_commit). Swaps of this
// process that arrive while others are in progress share a statement and its commit: an idle
// store writes each swap at once, and a busy one hundreds together. Other writes share a sync
// with those of other connections. The pool has [Connections] connections unless the address sets
// pool_max_conns. Take does not sync what it hides: after a crash of the server an instance may
// be taken twice, but it is claimed once.
//
// # Several workers
//
// Workers take different instances, since Take skips rows that another Take has locked. A claim
// compares versions in the statement that writes. Workers of one process are notified of its
// changes at once (the store is a [stores.Notifier]), and find those of other processes when
// their engines poll. Differences between the clocks of hosts cost time, but never correctness;
// see package durable.
//
// # Poolers and settings
//
// The store can be reached through a pooler such as PgBouncer, in each of its modes. It needs no
// start parameter, keeps nothing in a session, and prepares no statement under a name there (over
// a pooler that can track those, default_query_exec_mode=cache_statement in the address saves the
// server some parsing). In session mode a pooler has to lend [Connections] connections and those
// of [Transactions] to each store, in other modes a few more than those of [Transactions].
//
// The isolation level of the store's own statements is READ COMMITTED, whatever the default of the
// role or the database is; in statement mode, where a pooler permits no transaction, it is that
// default. The server may give up one of two statements that are in each other's way; it is tried
// again. A statement_timeout must allow for a few milliseconds; it does not apply to Open and
// Purge.
//
// After a fail-over, a server that has become read-only refuses writes. The store drops its
// connections then, and the engine tries again. An address with several hosts and
// target_session_attrs=read-write finds the new primary.
//
// # Steps that write to the database
//
// A step calls [durable.Tx] with a function of a pgx.Tx. Its statements are committed together
// with its result, in one transaction, which ends when the next checkpoint is written. These
// transactions use connections of their own: see [Transactions]. They find the program's tables
// through the search_path of the role. One in the address is a start parameter, which poolers
// refuse; there, give it to the role, or name the schema in statements. The isolation level is the
// default of the role or the address: it cannot be set per call, since each call is a savepoint.
// If the server gives up the first call of a transaction in favour of another one, the function is
// called again. A pooler in statement mode permits no such transactions.
//
// # Tables
//
// [Open] makes its tables in the schema "movenext", or in that of the option [Schema], and
// migrates older ones. It needs the right to create a schema only the first time. It refuses
// tables of a newer version ([ErrVersion]): during an upgrade, older workers continue to run but
// cannot be restarted.
package pgstore
