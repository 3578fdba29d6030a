package pgstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Taking
//
// A Take checks two sets: instances without an owner that are due, and instances whose owner's
// lease has expired. It locks the rows that it finds, and skips rows that another Take has
// locked, so that workers do not wait for each other. The same statement hides the oldest of
// them, up to the limit, by setting a later wake.
//
// An expired lease may be renewed after that. The instance is then loaded by a worker that sees a
// living owner, or is claimed. A claim compares versions, so both are safe.

// The set of due instances changes faster than the server's statistics. The planner believes that
// few instances are due when many are; it would read all of them and sort them to return a few.
// So the settings below leave the planner only the indexes, which are in the right order.

// plannerSettings sets the options of a Take, until its commit.
const plannerSettings = `SELECT set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`

// servedCondition selects what a worker serves: $2 are its functions, $3 its steps, $4 its
// layouts; NULL means all.
const (
	calledCondition = `function = ANY ($2::text[]) AND (step = '' OR $3::text[] IS NULL OR step = ANY ($3::text[]))`
	loadedCondition = `(layout = '' OR $4::text[] IS NULL OR layout = ANY ($4::text[]))`
	servedCondition = calledCondition + " AND " + loadedCondition
)

var (
	takeText = `WITH due AS MATERIALIZED (
			SELECT id, wake AS at FROM @instances WHERE owner = '' AND wake <= $1 AND ` + servedCondition + `
			ORDER BY wake, id LIMIT $5 FOR UPDATE SKIP LOCKED
		), owned AS MATERIALIZED (
			SELECT id, greatest(coalesce(wake, 0), coalesce(until, 0)) AS at FROM @instances AS i LEFT JOIN @leases ON worker = owner
			WHERE owner <> '' AND greatest(coalesce(wake, 0), coalesce(until, 0)) <= $1 AND ` + servedCondition + `
			ORDER BY at, id LIMIT $5 FOR UPDATE OF i SKIP LOCKED
		), found AS MATERIALIZED (
			SELECT id, at FROM due UNION ALL SELECT id, at FROM owned ORDER BY at, id LIMIT $5
		) UPDATE @instances AS i SET wake = $6, takes = least(i.takes, 1000000000) + 1 FROM found WHERE i.id = found.id
			RETURNING found.at, i.last > i.floor, i.takes - 1, ` + joinColumns(func(_ int, c column) string { return "i." + c.name })
	nextText = `SELECT least(
		(SELECT wake FROM @instances WHERE owner = '' AND wake > $1 AND ` + servedCondition + ` ORDER BY wake, id LIMIT 1),
		(SELECT min(greatest(coalesce(wake, 0), coalesce(until, 0))) FROM @instances LEFT JOIN @leases ON worker = owner
			WHERE owner <> '' AND greatest(coalesce(wake, 0), coalesce(until, 0)) > $1 AND ` + servedCondition + `))`
	foreignText = `SELECT count(*) FROM (SELECT FROM @instances LEFT JOIN @leases ON worker = owner
		WHERE (owner = '' AND wake <= $1 OR owner <> '' AND greatest(coalesce(wake, 0), coalesce(until, 0)) <= $1)
		AND ` + calledCondition + ` AND NOT ` + loadedCondition + ` LIMIT $5) AS found`
)

// candidate is an instance that was taken, and the time since which it could be.
type candidate struct {
	taken stores.Taken
	due   int64
}

// Take implements [stores.Store].
func (s *Store) Take(ctx context.Context, t stores.Taking) (list []stores.Taken, soonest time.Time, err error) {
	if err := s.check(slices.Concat(t.Functions, t.Steps, t.Layouts)...); err != nil || len(t.Functions) == 0 {
		return nil, time.Time{}, err
	}
	now, hidden := nanos.Of(t.Now), nanos.Of(t.Now.Add(t.Hide))
	var found []candidate
	err = s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		found = nil
		b.Queue(plannerSettings)
		b.Queue(s.text.take, now, t.Functions, t.Steps, t.Layouts, t.Limit, hidden).Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c candidate, err error) {
				c.taken.Record, err = scan(row, &c.due, &c.taken.Mail, &c.taken.Lost)
				if errors.Is(err, errDamaged) {
					c.taken.Record, err = nil, nil // it is hidden like the others
				}
				return c, err
			})
			return err
		})
		b.Queue(s.text.next, now, t.Functions, t.Steps, t.Layouts).QueryRow(func(row pgx.Row) error {
			var due *int64
			err := row.Scan(&due)
			soonest = nanos.Time(due)
			return err
		})
	})
	if err != nil {
		return nil, time.Time{}, s.wrap(err)
	}
	if len(found) >= t.Limit {
		soonest = t.Now // more may be due
	}
	found = slices.DeleteFunc(found, func(c candidate) bool { return c.taken.Record == nil })
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.due, b.due), strings.Compare(a.taken.ID, b.taken.ID))
	})
	for _, c := range found {
		list = append(list, c.taken)
	}
	return list, soonest, nil
}

// Foreign implements [stores.Store].
func (s *Store) Foreign(ctx context.Context, t stores.Taking) (n int, err error) {
	if err := s.check(slices.Concat(t.Functions, t.Steps, t.Layouts)...); err != nil {
		return 0, err
	}
	err = s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		b.Queue(s.text.foreign, nanos.Of(t.Now), t.Functions, t.Steps, t.Layouts, t.Limit).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	return n, s.wrap(err)
}
