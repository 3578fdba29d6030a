package awaiter_test

import (
	"fmt"
	"time"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
)

// alarm is awaitable although it is not a job: it has the method GetAwaiter.
type alarm struct{ at time.Time }

func (a alarm) GetAwaiter() awaiter.Awaiter[time.Time] { return a }

func (a alarm) IsCompleted() bool { return !time.Now().Before(a.at) }

func (a alarm) OnCompleted(k continuation.Continuation) {
	time.AfterFunc(time.Until(a.at), k.Resume)
}

func (a alarm) GetResult() (time.Time, error) { return a.at, nil }

func ExampleAwait() {
	at := time.Now().Add(time.Millisecond)
	rang, err := awaiter.Await(alarm{at})
	fmt.Println(rang.Equal(at), err)
	// Output: true <nil>
}
