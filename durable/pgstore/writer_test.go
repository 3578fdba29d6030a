package pgstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/stores"
)

// administrator returns a connection that is not the store's, and the name of a schema.
func administrator(t *testing.T, schema string) (c *pgx.Conn, name string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c, pgx.Identifier{schema}.Sanitize()
}

// all makes swaps concurrently, and returns their errors.
func all(s *pgstore.Store, records []*stores.Record) []error {
	errs := make([]error, len(records))
	var wg sync.WaitGroup
	for i, r := range records {
		wg.Go(func() { _, errs[i] = s.Swap(context.Background(), r) })
	}
	wg.Wait()
	return errs
}

// TestTheOthersOfAGroupAreMade makes many swaps, one of which the server refuses.
func TestTheOthersOfAGroupAreMade(t *testing.T) {
	schema := newSchema()
	s := opened(t, schema)
	c, name := administrator(t, schema)
	_, err := c.Exec(t.Context(), fmt.Sprintf(`CREATE FUNCTION %[1]s.refuse() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.id = 'i77' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON %[1]s.instances FOR EACH ROW EXECUTE FUNCTION %[1]s.refuse()`, name))
	require.NoError(t, err)
	var records []*stores.Record
	for i := range 300 {
		records = append(records, instance(fmt.Sprint("i", i)))
	}
	for i, err := range all(s, records) {
		if i == 77 {
			require.ErrorContains(t, err, "not this one")
			assert.Zero(t, records[i].Version)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, 1, records[i].Version)
	}
}

// TestACountAtItsEndHarmsNoOther has a row whose version, and one whose number of messages, cannot
// be counted further: only their own writes fail.
func TestACountAtItsEndHarmsNoOther(t *testing.T) {
	schema := newSchema()
	s := opened(t, schema)
	c, name := administrator(t, schema)
	var records []*stores.Record
	for i := range 300 {
		records = append(records, instance(fmt.Sprint("i", i)))
		_, err := s.Swap(t.Context(), records[i])
		require.NoError(t, err)
	}
	const most = 1<<63 - 1
	_, err := c.Exec(t.Context(), "UPDATE "+name+".instances SET version = $1, last = $1 WHERE id = 'i77'", int64(most))
	require.NoError(t, err)
	records[77].Version = most
	for i, err := range all(s, records) {
		if i == 77 {
			require.ErrorContains(t, err, "out of range")
			assert.EqualValues(t, most, records[i].Version)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, 2, records[i].Version)
	}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			assert.ErrorContains(t, s.Send(context.Background(), "i77", stores.Message{Name: "m"}), "out of range")
			assert.NoError(t, s.Send(context.Background(), "i1", stores.Message{Name: "m", Key: fmt.Sprint(i / 2)}))
		})
	}
	wg.Wait()
	list, err := s.Inbox(t.Context(), "i1", 0)
	require.NoError(t, err)
	assert.Len(t, list, 5)
}

// TestTheOthersOfAGroupOfMessagesAreSent sends many messages to one instance, one of which the
// server refuses.
func TestTheOthersOfAGroupOfMessagesAreSent(t *testing.T) {
	schema := newSchema()
	s := opened(t, schema)
	c, name := administrator(t, schema)
	_, err := c.Exec(t.Context(), fmt.Sprintf(`CREATE FUNCTION %[1]s.refuse() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.name = 'm77' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON %[1]s.messages FOR EACH ROW EXECUTE FUNCTION %[1]s.refuse()`, name))
	require.NoError(t, err)
	_, err = s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	const n = 100
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			err := s.Send(context.Background(), "a", stores.Message{Name: fmt.Sprint("m", i), Key: fmt.Sprint(i)})
			if i == 77 {
				assert.ErrorContains(t, err, "not this one")
			} else {
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	require.Len(t, list, n-1)
	for i, m := range list {
		assert.EqualValues(t, i+1, m.Seq)
	}
}

// TestSwapsTogetherAreSwapsAlone makes many swaps concurrently: of new instances, of existing
// ones, with outdated versions, several of one instance, with seen and unseen messages.
func TestSwapsTogetherAreSwapsAlone(t *testing.T) {
	s := opened(t, newSchema())
	const n = 120
	var records []*stores.Record
	for i := range n {
		r := instance(fmt.Sprint("i", i))
		records = append(records, r)
		if i%2 == 0 {
			_, err := s.Swap(t.Context(), r)
			require.NoError(t, err)
			require.NoError(t, s.Send(t.Context(), r.ID, stores.Message{Name: "m"}))
			require.NoError(t, s.Send(t.Context(), r.ID, stores.Message{Name: "n"}))
			r.Seen, r.Floor, r.Labels = 2, 1, map[string]string{"i": r.ID}
		}
	}
	for i := range n { // each has a rival
		rival := *records[i]
		records = append(records, &rival)
	}
	errs := all(s, records)
	for i := range n {
		won := 0
		for _, err := range []error{errs[i], errs[i+n]} {
			if err == nil {
				won++
				continue
			}
			require.ErrorIs(t, err, durable.ErrConflict)
		}
		require.Equal(t, 1, won, "of two with one version one wins")
		r, err := s.Load(t.Context(), records[i].ID)
		require.NoError(t, err)
		assert.Equal(t, max(records[i].Version, records[i+n].Version), r.Version)
		assert.Equal(t, records[i].Labels, r.Labels)
		list, err := s.Inbox(t.Context(), r.ID, 0)
		require.NoError(t, err)
		assert.Len(t, list, (i+1)%2, "the message below the floor is gone")
	}
}

// TestACallerThatDoesNotWaitLeavesTheOthersAlone has a swap that waits for a lock, and a caller
// whose context ends during the wait.
func TestACallerThatDoesNotWaitLeavesTheOthersAlone(t *testing.T) {
	schema := newSchema()
	s := opened(t, schema)
	r := instance("held")
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	c, name := administrator(t, schema)
	tx, err := c.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM "+name+".instances WHERE id = 'held' FOR UPDATE")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = s.Swap(ctx, r)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.EqualValues(t, 1, r.Version)
	_, err = s.Swap(t.Context(), instance("other"))
	require.NoError(t, err)
	require.NoError(t, tx.Rollback(t.Context()))
	now, err := s.Load(t.Context(), "held")
	require.NoError(t, err)
	_, err = s.Swap(t.Context(), now)
	if err != nil { // the server may have made the first one before the cancellation arrived
		require.ErrorIs(t, err, durable.ErrConflict)
	}
}

// TestARightThatIsTakenAwayIsAnError checks that a missing right is an error that can be matched,
// and that the same write succeeds when the right is granted again.
func TestARightThatIsTakenAwayIsAnError(t *testing.T) {
	schema := newSchema()
	opened(t, schema)
	c, name := administrator(t, schema)
	role := fmt.Sprint("clerk", schemas.Add(1))
	do := func(format string) {
		_, err := c.Exec(t.Context(), fmt.Sprintf(format, name, role))
		require.NoError(t, err)
	}
	do(`CREATE ROLE %[2]s LOGIN; GRANT USAGE ON SCHEMA %[1]s TO %[2]s; GRANT ALL ON ALL TABLES IN SCHEMA %[1]s TO %[2]s`)
	s, err := pgstore.Open(t.Context(), server.Address()+" user="+role, pgstore.Schema(schema))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	r := instance("a")
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	do("REVOKE UPDATE ON %[1]s.instances FROM %[2]s")
	_, err = s.Swap(t.Context(), r)
	require.ErrorIs(t, err, pgstore.ErrRights)
	_, _, err = s.Take(t.Context(), stores.Taking{Now: time.Now(), Hide: time.Second, Functions: []string{"f"}, Limit: 1})
	require.ErrorIs(t, err, pgstore.ErrRights)
	do("GRANT UPDATE ON %[1]s.instances TO %[2]s")
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	assert.EqualValues(t, 2, r.Version)
}

// TestTablesOfOthersAreRefused finds tables of the same names that another program has made.
func TestTablesOfOthersAreRefused(t *testing.T) {
	schema := newSchema()
	c, name := administrator(t, schema)
	_, err := c.Exec(t.Context(), fmt.Sprintf("CREATE SCHEMA %[1]s; CREATE TABLE %[1]s.instances (host TEXT)", name))
	require.NoError(t, err)
	_, err = pgstore.Open(t.Context(), server.Address(), pgstore.Schema(schema))
	require.ErrorIs(t, err, pgstore.ErrForeign)
	require.ErrorContains(t, err, "instances")
	var made bool
	require.NoError(t, c.QueryRow(t.Context(), "SELECT to_regclass($1) IS NOT NULL", name+".movenext_version").Scan(&made))
	assert.False(t, made, "nothing was changed")
}
