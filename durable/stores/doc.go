// Package stores is the contract between the engines of package durable and their stores, which
// keep instances, their messages and the leases of workers. It has [Store], and what a store may
// do besides, as a [Notifier], a [Transactor] or an [Enlister]. Writers of stores need it; other
// programs do not, except for [WithTransactor]. Package durabletest has the suites that a store
// must pass.
package stores
