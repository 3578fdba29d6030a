package durable

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// # Many children
//
// A parent of thousands of children is woken when one of them has ended, and written again. So
// what it costs then must not depend on their number: the checkpoint has the number of children
// that have ended, only new messages are read, and the children are written as their common prefix
// and the runs of equal functions. The children's beginnings, of which one is much like the other,
// are written compressed, until they have been started.

// childrenState is the part of a checkpoint at All or Any that describes the children.
type childrenState struct {
	Any      bool
	Select   bool
	Started  bool
	Ended    int   // children whose outcomes were among the messages that have been checked
	Decided  bool  // the others have been canceled
	Chosen   bool  // a Select has chosen its event
	Winner   int64 // the number of its message; 0: it is none
	Prefix   string
	Children []childData
}

// childData is a child in the checkpoint of its parent.
type childData struct {
	Function string          `json:"function"`
	ID       string          `json:"id"`
	Seen     string          `json:"seen,omitempty"`  // the layout that the caller knew
	Begin    json.RawMessage `json:"begin,omitempty"` // until it is started
}

// savedChildren is the form of a childrenState in a checkpoint.
type savedChildren struct {
	Any     bool         `json:"any,omitempty"`
	Select  bool         `json:"select,omitempty"`
	Started bool         `json:"started,omitempty"`
	Ended   int          `json:"ended,omitempty"`
	Decided bool         `json:"decided,omitempty"`
	Chosen  bool         `json:"chosen,omitempty"`
	Winner  int64        `json:"winner,omitempty"`
	Prefix  string       `json:"prefix,omitempty"`
	Calls   []savedCalls `json:"calls,omitempty"`
	Begins  []byte       `json:"begins,omitempty"` // compressed

	Children []childData `json:"children,omitempty"` // in an earlier form
}

// savedCalls are calls of one function in a row.
type savedCalls struct {
	Function string `json:"function"`
	Seen     string `json:"seen,omitempty"`
	Count    int    `json:"count"`
}

// Bounds on what is written and read: a checkpoint may be forged, and be small although it stands
// for many children.
const (
	maxChildren = 100_000
	maxBegins   = 64 * MaxCheckpoint
)

// MarshalJSON returns the saved form.
func (j *childrenState) MarshalJSON() ([]byte, error) {
	saved := savedChildren{
		Any: j.Any, Select: j.Select, Started: j.Started, Ended: j.Ended, Decided: j.Decided, Chosen: j.Chosen, Winner: j.Winner, Prefix: j.Prefix,
	}
	for _, c := range j.Children {
		if n := len(saved.Calls) - 1; n >= 0 && saved.Calls[n].Function == c.Function && saved.Calls[n].Seen == c.Seen {
			saved.Calls[n].Count++
		} else {
			saved.Calls = append(saved.Calls, savedCalls{c.Function, c.Seen, 1})
		}
	}
	if !j.Started {
		var err error
		if saved.Begins, err = j.compress(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(saved)
}

// compress returns the beginnings of the children.
func (j *childrenState) compress() ([]byte, error) {
	list := make([]json.RawMessage, len(j.Children))
	for n, c := range j.Children {
		list[n] = c.Begin
	}
	plain, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	if len(plain) > maxBegins {
		return nil, fmt.Errorf("%w: the requests of %d children have %d bytes", ErrTooLarge, len(j.Children), len(plain))
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(plain)
	err = errors.Join(err, w.Close()) // it writes the rest
	return b.Bytes(), err
}

// UnmarshalJSON reads the saved form, or an earlier one.
func (j *childrenState) UnmarshalJSON(data []byte) error {
	var saved savedChildren
	if err := parse(data, &saved); err != nil {
		return err
	}
	*j = childrenState{
		saved.Any, saved.Select, saved.Started, saved.Ended, saved.Decided, saved.Chosen, saved.Winner, saved.Prefix, saved.Children,
	}
	for _, calls := range saved.Calls {
		if calls.Count < 0 || calls.Count > maxChildren-len(j.Children) {
			return fmt.Errorf("durable: a point with more than %d children", maxChildren)
		}
		for range calls.Count {
			j.Children = append(j.Children, childData{calls.Function, childID(saved.Prefix, len(j.Children)), calls.Seen, nil})
		}
	}
	if saved.Started || len(saved.Calls) == 0 {
		return nil
	}
	return j.readBegins(saved.Begins)
}

// readBegins reads the compressed beginnings of the children, one after the other: what is small
// may stand for very many.
func (j *childrenState) readBegins(compressed []byte) error {
	list := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), maxBegins+1))
	if _, err := list.Token(); err != nil { // the bracket
		return err
	}
	for n := range j.Children {
		if err := list.Decode(&j.Children[n].Begin); err != nil {
			return fmt.Errorf("durable: the beginning of child %d of %d: %w", n, len(j.Children), err)
		}
	}
	if list.More() {
		return fmt.Errorf("durable: %d children have more beginnings", len(j.Children))
	}
	return nil
}

// checkSize returns an error if the children cannot be saved in one checkpoint, or one of them not
// in its own.
func (j *childrenState) checkSize() error {
	if len(j.Children) > maxChildren {
		return fmt.Errorf("%w: %d children at one point, and there may be %d: call them in groups", ErrTooLarge, len(j.Children), maxChildren)
	}
	for _, c := range j.Children {
		const most = MaxCheckpoint - 2*MaxText // the checkpoint also has the parent's id
		if len(c.Begin) > most {
			return fmt.Errorf("%w: the request of %s has %d bytes, and may have %d", ErrTooLarge, c.ID, len(c.Begin), most)
		}
	}
	data, err := j.compress()
	const share = MaxCheckpoint / 2 // of the checkpoint, as base64; the values need the rest
	if size := len(data) * 4 / 3; err == nil && size > share {
		err = fmt.Errorf("%w: %d children at one point, whose requests have %d bytes compressed, and %d may: call them in groups",
			ErrTooLarge, len(j.Children), size, share)
	}
	return err
}

// find returns the number of the child with that id, or -1.
func (j *childrenState) find(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '.')+1:])
	if err != nil || n < 0 || n >= len(j.Children) || j.Children[n].ID != id {
		return -1
	}
	return n
}

// maxChildPrefix bounds the ids of children: the ids of their children begin with them.
const maxChildPrefix = 200

// childPrefix returns the beginning of the ids of the children at this point. The id of a parent
// that is long, as that of a child of a child, is replaced by its hash.
func (r *run) childPrefix() string {
	return fmt.Sprintf("%s/%s/%d", parentPart(r.record.ID), r.record.Run[:min(6, len(r.record.Run))], r.doc.Steps)
}

// parentPart returns the part of the ids of children that stands for their parent.
func parentPart(parent string) string {
	if len(parent) > maxChildPrefix {
		sum := sha256.Sum256([]byte(parent))
		return "child-" + hex.EncodeToString(sum[:16])
	}
	return parent
}

func childID(prefix string, n int) string { return prefix + "." + strconv.Itoa(n) }

// countEnded counts the children that have ended since the parent began to wait. It returns false
// if the parent waits on: no outcome decides, and not all have ended.
func (r *run) countEnded() (news bool, err error) {
	j := r.doc.Join
	list, err := r.inboxAfter(r.doc.Checked)
	if err != nil {
		return false, err
	}
	ended := 0
	for _, m := range list {
		switch m.Name {
		case cancelSignal:
			return true, nil
		case childSignal:
			var c childOutcome
			if parse(m.Payload, &c) != nil || j.find(c.ID) < 0 {
				continue
			}
			if ended++; !j.Decided && j.Any == (c.Err == nil || c.failure() == nil) {
				return true, nil
			}
		}
	}
	if j.Ended+ended >= len(j.Children) {
		return true, nil
	}
	j.Ended += ended
	return false, r.waitForChildren()
}

// waitForChildren saves that the instance waits for its children.
func (r *run) waitForChildren() error {
	due := r.doc.Until // of a Select
	if r.doc.Join.Chosen {
		due = time.Time{}
	}
	r.doc.Crashes, r.doc.Checked = 0, r.mail.read
	_, _, err := r.saveOrStick(Waiting, "", due)
	return err
}

// maxParallel is the number of writes that are in progress at a time for the children of a point.
// Few children are written one after the other.
const (
	maxParallel = 64
	fewChildren = 16
)

// inParallel calls f for each number below n, and returns the first error.
func (e *Engine) inParallel(n int, f func(n int) error) error {
	if n <= fewChildren {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next, left atomic.Int64
	var once sync.Once
	var failure error
	ended := make(chan struct{})
	left.Store(maxParallel)
	for range maxParallel {
		e.place.Go(e.ctx, "durable: children", func(context.Context) {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := f(i); err != nil {
					once.Do(func() { failure = err })
					next.Store(int64(n))
				}
			}
			if left.Add(-1) == 0 {
				close(ended)
			}
		})
	}
	for !isClosed(ended) {
		e.place.Wait(context.Background(), ended, Forever)
	}
	return failure
}
