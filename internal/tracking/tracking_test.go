package tracking

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// held returns how many chunks the table holds.
func held(t *table) (chunks int) {
	for i := range t {
		chunks += len(t[i].chunks)
	}
	return chunks
}

func TestRecordsThatComeOneByOneTakeNoMemoryEach(t *testing.T) {
	all := func(any) bool { return true }
	Set(&Filter{Among: 1, Machine: func(Machine) bool { return true }, Job: all})
	one := new(int)
	for range 100 * shards { // each shard has had one
		LeaveJob(EnterJob(one))
	}
	assert.Zero(t, testing.AllocsPerRun(1000, func() { LeaveJob(EnterJob(one)) }))

	var tickets []uint32
	for range 4 * shards * chunkSize {
		tickets = append(tickets, EnterJob(one))
	}
	assert.Greater(t, held(&jobs), 2*shards)
	n := 0
	EachJob(func(r *Record) { n++ })
	assert.Equal(t, len(tickets), n)
	for _, ticket := range tickets {
		LeaveJob(ticket)
	}
	assert.LessOrEqual(t, held(&jobs), shards, "each shard keeps one chunk")
	EachJob(func(*Record) { assert.Fail(t, "no record is left") })

	late := EnterJob(one)
	Set(nil)
	Forget()
	EachJob(func(*Record) { assert.Fail(t, "no record is left") })
	assert.Equal(t, 1, held(&jobs), "the slot that is still taken")
	LeaveJob(late)
	assert.Zero(t, held(&jobs), "nothing is tracked")
}
