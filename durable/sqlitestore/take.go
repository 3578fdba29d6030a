package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/stores"
)

// # Taking
//
// A Take is a write, in a group with others. It reads the due instances and their records through
// the index, and then hides all of them with one statement. Few instances belong to workers whose
// leases have expired: their records are read one by one. A row that cannot be read is hidden like
// the others, so that it neither ends the Take nor fills the next one.

// takenColumns are the columns of scanTaken.
const takenColumns = "last > floor, takes, " + columns

// candidate is an instance that can be taken, and the time since which it can.
type candidate struct {
	row, due int64
	taken    stores.Taken // without a record: it must still be read, unless
	damaged  bool         // it cannot be
}

// take hides due instances and returns them.
func (t *statements) take(ctx context.Context, taking stores.Taking) (list []stores.Taken, next time.Time, err error) {
	who, err := servedBy(taking)
	if err != nil || len(taking.Functions) == 0 {
		return nil, time.Time{}, err
	}
	now := nanos.Of(taking.Now)
	found, err := t.candidates(ctx, who, now, taking.Limit)
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
	}, t.nextDue, who...)
	return list, nanos.Time(later), err
}

// servedBy returns the parameters of served.
func servedBy(t stores.Taking) (params []any, err error) {
	for _, list := range [][]string{t.Functions, t.Steps, t.Layouts} {
		data, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		params = append(params, string(data))
	}
	return params, nil
}

// countForeign counts due instances whose layouts a worker does not know.
func (t *statements) countForeign(ctx context.Context, taking stores.Taking) (n int, err error) {
	who, err := servedBy(taking)
	if err == nil {
		err = t.foreign.QueryRowContext(ctx, append(who, nanos.Of(taking.Now), taking.Limit)...).Scan(&n)
	}
	return n, err
}

// candidates returns, the oldest first, the due instances without an owner, those whose owner's
// lease has expired, and the first one whose owner's lease will expire.
func (t *statements) candidates(ctx context.Context, who []any, now int64, limit int) (found []candidate, err error) {
	err = each(ctx, func(rows *sql.Rows) (err error) {
		var c candidate
		if c.taken, err = scanTaken(rows, &c.row, &c.due); err != nil {
			c.damaged = true
		}
		found = append(found, c)
		return nil
	}, t.due, append(slices.Clip(who), now, limit)...)
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
	}, t.owned, who...)
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.due, b.due) })
	return found, err
}

// hideAll hides candidates until a time, and returns them.
func (t *statements) hideAll(ctx context.Context, found []candidate, until time.Time) (list []stores.Taken, err error) {
	if len(found) == 0 {
		return nil, nil
	}
	rows := make([]int64, len(found))
	for i, c := range found {
		rows[i] = c.row
		if c.taken.Record == nil && !c.damaged {
			err := each(ctx, func(rows *sql.Rows) (err error) {
				if c.taken, err = scanTaken(rows); err != nil {
					c.damaged = true
				}
				return nil
			}, t.byRow, c.row)
			if err != nil {
				return nil, err
			}
		}
		if !c.damaged && c.taken.Record != nil {
			list = append(list, c.taken)
		}
	}
	all, err := json.Marshal(rows)
	if err == nil {
		_, err = t.hide.ExecContext(ctx, nanos.Nullable(until), string(all))
	}
	return list, err
}

// scanTaken reads an instance, after other columns.
func scanTaken(row scanner, before ...any) (t stores.Taken, err error) {
	t.Record, err = scan(row, append(before, &t.Mail, &t.Lost)...)
	return t, err
}
