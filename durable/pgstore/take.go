package pgstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
)

// # Taking
//
// A Take checks two sets: instances without an owner that are due, and instances whose owner's
// lease has expired. It locks the rows that it finds, and skips rows that another Take has
// locked, so that workers do not wait for each other. Then it hides the oldest of them, up to the
// limit, by setting a later wake.
//
// An expired lease may be renewed between the two steps. The instance is then loaded by a worker
// that sees a living owner, or is claimed. A claim compares versions, so both are safe.

// The set of due instances changes faster than the server's statistics. The planner believes that
// few instances are due when many are; it would read all of them and sort them to return a few.
// So the settings below leave the planner only the indexes, which are in the right order.

// plannerSettings sets the options of a Take's transaction.
const plannerSettings = `SELECT set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`

// servedCondition selects what a worker serves: $2 are its functions, $3 its steps; NULL means
// all.
const servedCondition = `function = ANY ($2) AND (step = '' OR $3::text[] IS NULL OR step = ANY ($3))`

var (
	dueQuery = `SELECT wake, last > floor, ` + columns + ` FROM instances WHERE owner = '' AND wake <= $1 AND ` + servedCondition + `
		ORDER BY wake, id LIMIT $4 FOR UPDATE SKIP LOCKED`
	ownedQuery = `SELECT greatest(coalesce(wake, 0), coalesce(until, 0)) AS at, last > floor, ` + columns + ` FROM instances LEFT JOIN leases ON worker = owner
		WHERE owner <> '' AND greatest(coalesce(wake, 0), coalesce(until, 0)) <= $1 AND ` + servedCondition + `
		ORDER BY at, id LIMIT $4 FOR UPDATE OF instances SKIP LOCKED`
	hideQuery = `UPDATE instances SET wake = $1 WHERE id = ANY ($2)`
	nextQuery = `SELECT least(
		(SELECT wake FROM instances WHERE owner = '' AND wake > $1 AND ` + servedCondition + ` ORDER BY wake, id LIMIT 1),
		(SELECT min(greatest(coalesce(wake, 0), coalesce(until, 0))) FROM instances LEFT JOIN leases ON worker = owner
			WHERE owner <> '' AND greatest(coalesce(wake, 0), coalesce(until, 0)) > $1 AND ` + servedCondition + `))`
)

// candidate is an instance that can be taken, and the time since which it can.
type candidate struct {
	taken durable.Taken
	due   int64
}

// Take implements [durable.Store].
func (s *Store) Take(ctx context.Context, t durable.Taking) (list []durable.Taken, soonest time.Time, err error) {
	if err := s.check(slices.Concat(t.Functions, t.Steps)...); err != nil || len(t.Functions) == 0 {
		return nil, time.Time{}, err
	}
	ctx = nilctx.Background(ctx)
	now, hidden := nanos.Of(t.Now), t.Now.Add(t.Hide)
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		found, err := candidates(ctx, tx, now, t)
		if err != nil {
			return err
		}
		var ids []string
		for _, c := range found[:min(len(found), t.Limit)] {
			ids, list = append(ids, c.taken.ID), append(list, c.taken)
		}
		batch := &pgx.Batch{}
		if len(ids) > 0 {
			batch.Queue(hideQuery, nanos.Of(hidden), ids)
		}
		if soonest = t.Now; len(found) <= t.Limit { // otherwise more are due
			batch.Queue(nextQuery, now, t.Functions, t.Steps).QueryRow(func(row pgx.Row) error {
				var due *int64
				err := row.Scan(&due)
				soonest = nanos.Time(due)
				return err
			})
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return nil, time.Time{}, s.wrap(err)
	}
	return list, soonest, nil
}

// candidates locks the instances that can be taken, and returns them, the oldest first. It
// returns at most one more than the limit of each kind, which shows that there are more.
func candidates(ctx context.Context, tx pgx.Tx, now int64, t durable.Taking) (found []candidate, err error) {
	batch := &pgx.Batch{}
	batch.Queue(plannerSettings)
	for _, query := range []string{dueQuery, ownedQuery} {
		batch.Queue(query, now, t.Functions, t.Steps, t.Limit+1).Query(func(rows pgx.Rows) error {
			some, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c candidate, err error) {
				c.taken.Record, err = scan(row, &c.due, &c.taken.Mail)
				return c, err
			})
			found = append(found, some...)
			return err
		})
	}
	err = tx.SendBatch(ctx, batch).Close()
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.due, b.due) })
	return found, err
}
