package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/nanos"
)

// # Taking
//
// A Take is a write, in a group with others. It reads the due instances and their records through
// the index, and then hides all of them with one statement. Few instances belong to workers whose
// leases have expired: their records are read one by one.

// takenColumns are the columns of scanTaken.
const takenColumns = "last > floor, " + columns

// candidate is an instance that can be taken, and the time since which it can.
type candidate struct {
	row, due int64
	taken    durable.Taken // without a record: it must still be read
}

// take hides due instances and returns them.
func (t *statements) take(ctx context.Context, taking durable.Taking) (list []durable.Taken, next time.Time, err error) {
	names, err := json.Marshal(taking.Functions)
	if err != nil || len(taking.Functions) == 0 {
		return nil, time.Time{}, err
	}
	some, err := json.Marshal(taking.Steps)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, functions, steps := nanos.Of(taking.Now), string(names), string(some)
	found, err := t.candidates(ctx, functions, steps, now, taking.Limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	n := 0
	for n < min(len(found), taking.Limit) && found[n].due <= now {
		n++
	}
	hidden := taking.Now.Add(taking.Hide)
	if list, err = t.hideAll(ctx, found[:n], hidden); err != nil {
		return nil, time.Time{}, err
	}
	var later *int64
	consider := func(due int64) {
		if later == nil || due < *later {
			later = &due
		}
	}
	if n < len(found) {
		consider(found[n].due)
	}
	if n > 0 {
		consider(nanos.Of(hidden))
	}
	err = each(ctx, func(rows *sql.Rows) error {
		var due int64
		err := rows.Scan(&due)
		consider(due)
		return err
	}, t.nextDue, functions, steps)
	return list, nanos.Time(later), err
}

// candidates returns, the oldest first, the due instances without an owner, those whose owner's
// lease has expired, and the first one whose owner's lease will expire.
func (t *statements) candidates(ctx context.Context, functions, steps string, now int64, limit int) (found []candidate, err error) {
	err = each(ctx, func(rows *sql.Rows) (err error) {
		var c candidate
		c.taken, err = scanTaken(rows, &c.row, &c.due)
		found = append(found, c)
		return err
	}, t.due, functions, steps, now, limit)
	if err != nil {
		return nil, err
	}
	err = each(ctx, func(rows *sql.Rows) error {
		var c candidate
		err := rows.Scan(&c.row, &c.due)
		if found = append(found, c); err == nil && c.due > now {
			return errEnough // they are in order
		}
		return err
	}, t.owned, functions, steps)
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.due, b.due) })
	return found, err
}

// hideAll hides candidates until a time, and returns them.
func (t *statements) hideAll(ctx context.Context, found []candidate, until time.Time) (list []durable.Taken, err error) {
	if len(found) == 0 {
		return nil, nil
	}
	rows := make([]int64, len(found))
	for i, c := range found {
		rows[i] = c.row
		if c.taken.Record == nil {
			if c.taken, err = scanTaken(t.byRow.QueryRowContext(ctx, c.row)); err != nil {
				return nil, err
			}
		}
		list = append(list, c.taken)
	}
	all, err := json.Marshal(rows)
	if err == nil {
		_, err = t.hide.ExecContext(ctx, nanos.Nullable(until), string(all))
	}
	return list, err
}

// scanTaken reads an instance, after other columns.
func scanTaken(row scanner, before ...any) (t durable.Taken, err error) {
	t.Record, err = scan(row, append(before, &t.Mail)...)
	return t, err
}
