// Package sqlitestore keeps durable instances in one SQLite file, for one machine. It needs no
// server and no cgo: the database is modernc.org/sqlite.
//
//	store, err := sqlitestore.Open("orders.db")
//	engine, err := durable.Open(ctx, store)
//
// # What is durable when
//
// The journal is a write-ahead log, and each commit is synced to the disk before a write
// returns (synchronous=FULL). A sync takes much longer than the rest of a write. So writes are
// committed in groups: see writer.go. A store with one worker commits as often as the disk can
// sync; one with a hundred workers saves up to a hundred checkpoints with each sync.
//
// # Several processes
//
// Processes on one machine may open one file. SQLite lets one of them write at a time; the others
// wait for up to [BusyTimeout]. An engine is notified at once of changes that its own process
// makes (the store is a [stores.Notifier]), and finds the changes of other processes when it
// polls. A file on a network file system is not safe: SQLite's locks do not work there.
//
// # What is in the file
//
// What durable functions save is in the file in clear: values, signals, results, reasons, labels,
// ids and names. It may remain there for a while after it was deleted. The file is created for its
// owner alone (mode 0600), and so are those of its journal next to it; an existing file keeps its
// rights. [durable.Payloads] encrypts values, signals, results and reasons.
package sqlitestore
