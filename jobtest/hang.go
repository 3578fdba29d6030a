package jobtest

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/movenext/movenext/inspect"
)

// Main runs the tests of a package; a *testing.M is one.
type Main interface{ Run() int }

// DumpOnHang returns m with one change: shortly before a run of the tests exceeds the time limit
// of go test (-timeout), it prints to standard error where machines are suspended. The testing
// package then prints only goroutines. DumpOnHang is for TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(jobtest.DumpOnHang(m).Run()) }
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(jobtest.DumpOnHang(m)) }
//
// Machines are tracked (package inspect) while the tests run.
func DumpOnHang(m Main) Main { return dumpingMain{m} }

type dumpingMain struct{ Main }

// maxLead limits how long before the time limit the dump is written. It is a tenth of the limit,
// but at most this.
const maxLead = 5 * time.Second

// Run implements [Main].
func (d dumpingMain) Run() int {
	defer inspect.Track()()
	if !flag.Parsed() {
		flag.Parse()
	}
	if limit := timeLimit(); limit > 0 {
		timer := time.AfterFunc(limit-min(maxLead, limit/10), func() {
			fmt.Fprintf(os.Stderr, "movenext: the time limit of %v is near\n", limit)
			if err := inspect.Dump(os.Stderr); err != nil {
				fmt.Fprintln(os.Stderr, "movenext:", err)
			}
		})
		defer timer.Stop()
	}
	return d.Main.Run()
}

// timeLimit returns the time limit of go test, or 0 if there is none.
func timeLimit() time.Duration {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return 0
	}
	limit, err := time.ParseDuration(f.Value.String())
	if err != nil {
		return 0
	}
	return limit
}
