package sqlitestore

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/stores"
)

// writesTo makes the test binary a process that writes to a file until it is killed.
const writesTo = "SQLITESTORE_TEST_WRITES_TO"

func TestMain(m *testing.M) {
	if file := os.Getenv(writesTo); file != "" {
		writeForEver(file)
	}
	goleak.VerifyTestMain(m)
}

func opened(t testing.TB, file string) *Store {
	s, err := Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func fileIn(t testing.TB) string { return filepath.Join(t.TempDir(), "a file?.db") }

func TestStore(t *testing.T) {
	durabletest.Store(t, func(t testing.TB) stores.Store { return opened(t, fileIn(t)) })
}

func TestAWorkerThatWakesUpAfterItsLeaseChangesNothing(t *testing.T) {
	s := opened(t, fileIn(t))
	durabletest.TwoWorkers(t, s, s)
}

// TestADamagedRowHarmsNoOther puts values of other types, and labels that are none, into any
// column.
func TestADamagedRowHarmsNoOther(t *testing.T) {
	file := fileIn(t)
	s := opened(t, file)
	db, err := sql.Open("sqlite", source(file))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	places := []string{"messages id", "messages seq", "messages name", "messages key", "messages payload", "messages sent", "keys id", "keys key"}
	for _, name := range append(strings.Split(columns, ", "), "last", "wake", "takes") {
		places = append(places, "instances "+name)
	}
	values := []any{"text", []byte("\xff\x00"), -1, 1.5, int64(1) << 62, "", strings.Repeat("{", 100_000), strings.Repeat("9", 400)}
	durabletest.Damaged(t, s, func(random *rand.Rand, id string) string {
		place := places[random.IntN(len(places))]
		table, column, _ := strings.Cut(place, " ")
		where := "id = ?"
		if table == "messages" {
			where += " AND seq = 2"
		}
		n := random.IntN(len(values))
		value := values[n]
		if place == "instances id" { // which is to remain unique
			value = append([]byte{0xff}, id...)
		}
		update := fmt.Sprintf("UPDATE OR IGNORE %s SET %s = ? WHERE %s", table, column, where) //nolint:gosec // our own names
		_, err := db.ExecContext(t.Context(), update, value, id)
		require.NoError(t, err)
		return fmt.Sprint(table, ".", column, " value ", n)
	})
}

func instance(id string) *stores.Record {
	return &stores.Record{ID: id, Function: "f", Run: "r", Status: durable.Waiting, State: []byte("state")}
}

func TestWhatWasWrittenIsThereAgain(t *testing.T) {
	file := fileIn(t)
	first, err := Open(file)
	require.NoError(t, err)
	_, err = first.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	require.NoError(t, first.Send(t.Context(), "a", stores.Message{Name: "m", Key: "k"}))
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "a second time")
	_, err = first.Load(t.Context(), "a")
	require.ErrorIs(t, err, ErrClosed)
	_, err = first.Swap(t.Context(), instance("b"))
	require.ErrorIs(t, err, ErrClosed)

	second := opened(t, file)
	r, err := second.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "state", string(r.State))
	require.NoError(t, second.Send(t.Context(), "a", stores.Message{Name: "m", Key: "k"}))
	list, err := second.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1, "the key is known")
}

func TestAFileThatIsNotOursIsRefused(t *testing.T) {
	_, err := Open("")
	require.ErrorContains(t, err, "empty")
	_, err = Open(filepath.Join(t.TempDir(), "missing", "file"))
	require.Error(t, err)

	text := fileIn(t)
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600))
	_, err = Open(text)
	require.ErrorContains(t, err, "not a database")

	newer := fileIn(t)
	s, err := Open(newer)
	require.NoError(t, err)
	_, err = s.w.conn.ExecContext(t.Context(), "PRAGMA user_version = 99")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = Open(newer)
	require.ErrorIs(t, err, ErrVersion)
}

func TestTheFilesAreForTheirOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such rights")
	}
	file := fileIn(t)
	s := opened(t, file)
	_, err := s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		about, err := os.Stat(file + suffix)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), about.Mode().Perm(), suffix)
	}
}

// A file of the previous version is brought up to date, and its instances are for every worker.
func TestAFileOfThePreviousVersionIsMigrated(t *testing.T) {
	file := fileIn(t)
	db, err := sql.Open("sqlite", source(file))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), migrations[1]+`; PRAGMA user_version = 2; INSERT INTO instances
		(id, function, run, version, status, reason, step, labels, owner, epoch, seen, floor, wake, state)
		VALUES ('a', 'f', 'r', 1, 'waiting', '', '', 'null', '', 0, 0, 0, 1, 'state')`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := opened(t, file)
	due, _, err := s.Take(t.Context(), stores.Taking{Now: time.Now(), Functions: []string{"f"}, Layouts: []string{}, Limit: 1})
	require.NoError(t, err)
	require.Len(t, due, 1)
	assert.Equal(t, "state", string(due[0].State))
	_, err = s.Swap(t.Context(), due[0].Record)
	require.NoError(t, err)
}

// A full disk fails the writes that need space, changes nothing, and is not permanent.
func TestAFullDiskFailsTheWriteAlone(t *testing.T) {
	s := opened(t, fileIn(t))
	small := instance("small")
	_, err := s.Swap(t.Context(), small)
	require.NoError(t, err)
	_, err = s.w.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 60")
	require.NoError(t, err)

	large := instance("large")
	large.State = make([]byte, 1<<20)
	_, err = s.Swap(t.Context(), large)
	require.ErrorContains(t, err, "full")
	assert.Zero(t, large.Version)
	_, err = s.Load(t.Context(), "large")
	require.ErrorIs(t, err, durable.ErrNotFound)
	_, err = s.Swap(t.Context(), small)
	require.NoError(t, err, "another write is not disturbed")

	_, err = s.w.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 100000")
	require.NoError(t, err)
	_, err = s.Swap(t.Context(), large)
	require.NoError(t, err)
}

// holdWriter keeps the writer busy until release is called.
func holdWriter(t *testing.T, s *Store) (release func()) {
	t.Helper()
	held, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.w.do(t.Context(), true, func(context.Context, *statements) error {
			close(held)
			<-end
			return nil
		})
	}()
	<-held
	return func() {
		t.Helper()
		close(end)
		assert.NoError(t, <-done)
	}
}

// waitForQueue waits until the writer's queue has n writes.
func waitForQueue(s *Store, n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		s.w.mu.Lock()
		waiting = len(s.w.queue)
		s.w.mu.Unlock()
	}
}

// If one write of a group causes an error of the database, the others still succeed.
func TestTheOthersOfAGroupAreMade(t *testing.T) {
	s := opened(t, fileIn(t))
	release := holdWriter(t, s)
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() {
			errs[i] = s.w.do(t.Context(), true, func(ctx context.Context, st *statements) error {
				if i == 7 {
					_, err := s.w.conn.ExecContext(ctx, "INSERT INTO nothing VALUES (1)")
					return err
				}
				_, err := st.swap(ctx, instance(fmt.Sprint("i", i)), "null")
				return err
			})
		})
	}
	waitForQueue(s, len(errs))
	release()
	all.Wait()
	for i, err := range errs {
		_, found := s.Load(t.Context(), fmt.Sprint("i", i))
		if i == 7 {
			require.ErrorContains(t, err, "nothing")
			require.ErrorIs(t, found, durable.ErrNotFound)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, found)
	}
}

func TestAWriteWhoseContextHasEndedIsNotMade(t *testing.T) {
	s := opened(t, fileIn(t))
	release := holdWriter(t, s)
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() {
		_, err := s.Swap(ctx, instance("a"))
		assert.ErrorIs(t, err, context.Canceled)
	})
	waitForQueue(s, 1)
	cancel()
	release()
	all.Wait()
	_, err := s.Load(t.Context(), "a")
	assert.ErrorIs(t, err, durable.ErrNotFound)
}

// An engine calls Take when it is notified. If Take notified it again, it would never stop.
func TestTakingTellsNothing(t *testing.T) {
	s := opened(t, fileIn(t))
	told := 0
	defer s.Notify(func() { told++ })()
	_, err := s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	before := told
	assert.Positive(t, before)
	for range 3 {
		_, _, err = s.Take(t.Context(), stores.Taking{Now: time.Now(), Hide: time.Hour, Functions: []string{"f"}, Limit: 10})
		require.NoError(t, err)
	}
	require.NoError(t, s.w.do(t.Context(), false, func(context.Context, *statements) error { return nil }), "all before it are told")
	assert.Equal(t, before, told)
}

// writeForEver prints each id once the store has reported that it is written.
func writeForEver(file string) {
	s, err := Open(file)
	if err != nil {
		panic(err)
	}
	for worker := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", worker, i)
				if _, err := s.Swap(context.Background(), instance(id)); err != nil {
					panic(err)
				}
				fmt.Fprintln(os.Stdout, id) // one write each: lines are whole
			}
		}()
	}
	select {}
}

// A write that was reported to a process survives the process's death in the middle of writes.
func TestWhatWasAnsweredSurvivesAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts other programs")
	}
	file := fileIn(t)
	written := map[string]bool{}
	for range 3 {
		self, err := os.Executable()
		require.NoError(t, err)
		child := exec.Command(self)
		child.Env = append(os.Environ(), writesTo+"="+file)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			written[lines.Text()] = true
			if n == 200 {
				require.NoError(t, child.Process.Kill())
			}
		}
		require.Error(t, child.Wait())

		s, err := Open(file)
		require.NoError(t, err)
		for id := range written {
			_, err := s.Load(t.Context(), id)
			require.NoError(t, err, id)
		}
		_, err = s.w.conn.ExecContext(t.Context(), "DELETE FROM instances")
		require.NoError(t, err)
		require.NoError(t, s.Close())
		clear(written)
	}
}

// Two stores on one file behave like two processes.
func TestTwoProcessesShareAFile(t *testing.T) {
	file := fileIn(t)
	a, b := opened(t, file), opened(t, file)
	r := instance("x")
	_, err := a.Swap(t.Context(), r)
	require.NoError(t, err)
	var all sync.WaitGroup
	won := make(chan int64, 2)
	for _, s := range []*Store{a, b} {
		all.Go(func() {
			mine := *r
			if _, err := s.Swap(context.Background(), &mine); err == nil {
				won <- mine.Version
			} else {
				assert.ErrorIs(t, err, durable.ErrConflict)
			}
		})
	}
	all.Wait()
	assert.Len(t, won, 1)
}

// Thousands of suspended instances are only in the file, and due ones are found at once.
func TestManyInstances(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many instances")
	}
	s := opened(t, fileIn(t))
	const n, workers = 10_000, 256
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				r := instance(fmt.Sprintf("i%06d", i))
				r.Due = time.Unix(int64(i), 0)
				if _, err := s.Swap(context.Background(), r); !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	all.Wait()
	list, next, err := s.Take(t.Context(), stores.Taking{Now: time.Unix(50, 0), Hide: time.Hour, Functions: []string{"f"}, Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, "i000000", list[0].ID)
	assert.Len(t, list, 10)
	assert.Equal(t, int64(10), next.Unix())
}

func BenchmarkSwap(b *testing.B) {
	for _, workers := range []int{1, 64} {
		b.Run(fmt.Sprint("writers ", workers), func(b *testing.B) {
			s := opened(b, fileIn(b))
			var all sync.WaitGroup
			for w := range workers {
				all.Go(func() {
					r := instance(fmt.Sprint(w))
					r.State = make([]byte, 500)
					for i := w; i < b.N; i += workers {
						if _, err := s.Swap(context.Background(), r); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// Measures how long it takes to find the due instances among a hundred thousand that are not due.
func BenchmarkTakeAmongMany(b *testing.B) {
	s := opened(b, fileIn(b))
	const n, workers = 100_000, 256
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				r := instance(fmt.Sprintf("i%06d", i))
				r.Due = time.Unix(int64(1000+i), 0)
				if _, err := s.Swap(context.Background(), r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for b.Loop() {
		ids, _, err := s.Take(b.Context(), stores.Taking{Now: time.Unix(1, 0), Hide: time.Hour, Functions: []string{"f"}, Limit: 10})
		require.NoError(b, err)
		require.Empty(b, ids)
	}
}

func TestTwoProgramsOfOneNameLeaveEachOtherAlone(t *testing.T) {
	file := fileIn(t)
	durabletest.TwoPrograms(t, opened(t, file), opened(t, file))
}

func TestInstancesAreStartedInTheProgramsTransaction(t *testing.T) {
	for _, name := range []string{"Tx", "Conn"} {
		t.Run(name, func(t *testing.T) {
			file := fileIn(t)
			s := opened(t, file)
			db, err := sql.Open("sqlite", source(file)+"&_txlock=immediate")
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			durabletest.Enlisted(t, s, func(t testing.TB) (any, func(bool) error) {
				if name == "Tx" {
					tx, err := db.Begin()
					require.NoError(t, err)
					return tx, func(commit bool) error {
						if commit {
							return tx.Commit()
						}
						return tx.Rollback()
					}
				}
				c, err := db.Conn(context.Background())
				require.NoError(t, err)
				_, err = c.ExecContext(context.Background(), "BEGIN IMMEDIATE")
				require.NoError(t, err)
				return c, func(commit bool) error {
					how := "ROLLBACK"
					if commit {
						how = "COMMIT"
					}
					_, err := c.ExecContext(context.Background(), how)
					return errors.Join(err, c.Close())
				}
			})
		})
	}
}
