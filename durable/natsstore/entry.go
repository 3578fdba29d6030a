package natsstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/stores"
)

// # Entries
//
// An instance is one key of a bucket. Its value is a line of JSON, the head, followed by the
// unchanged state. The head contains the record and the mailbox. So a Swap and a Send of one
// instance compare the same revision, and each sees the changes of the other. Messages and lists
// of keys that would make the head large are stored under separate keys, which are written before
// the head refers to them.
//
// The header of the message contains the data that the workers' index needs, so that they follow
// a bucket without its values.

// entry is an instance as it is stored.
type entry struct {
	stores.Record
	box mailbox

	seq     uint64 // of the stream: the revision that a write compares
	partial bool   // State is missing: enough for a Swap, which replaces it
}

// mailbox is the part of an entry that Send changes. Its slices are replaced, never modified.
type mailbox struct {
	Birth   string   `json:"birth"`             // distinguishes instances with the same id
	Last    int64    `json:"last,omitempty"`    // number of the newest message
	Pages   []page   `json:"pages,omitempty"`   // of older letters, in order
	Letters []letter `json:"letters,omitempty"` // the newest, above the floor
	Keys    []string `json:"keys,omitempty"`    // hashes of the newest keys
	Spilled bool     `json:"spilled,omitempty"` // older ones are separate keys of the bucket
	Writes  []string `json:"writes,omitempty"`  // the marks of the latest writes
	Lost    int      `json:"lost,omitempty"`    // takings without a Swap since then
}

// letter is a message.
type letter struct {
	Seq     int64  `json:"seq"`
	Name    string `json:"name"`
	Key     string `json:"key,omitempty"`
	Sent    *int64 `json:"sent,omitempty"`
	Payload []byte `json:"payload,omitempty"`
	Apart   string `json:"apart,omitempty"` // the last part of the payload's own key
}

// head is the JSON of an entry. Times are nanoseconds since 1970; nil means no time.
type head struct {
	mailbox
	Function string            `json:"function"`
	Run      string            `json:"run"`
	Version  int64             `json:"version"`
	Status   stores.Status     `json:"status"`
	Reason   string            `json:"reason,omitempty"`
	Step     string            `json:"step,omitempty"`
	Layout   string            `json:"layout,omitempty"`
	Labels   map[string]string `json:"labels"`
	Created  *int64            `json:"created,omitempty"`
	Updated  *int64            `json:"updated,omitempty"`
	Owner    string            `json:"owner,omitempty"`
	Epoch    int64             `json:"epoch,omitempty"`
	Due      *int64            `json:"due,omitempty"`
	Seen     int64             `json:"seen,omitempty"`
	Floor    int64             `json:"floor,omitempty"`
}

// encode returns the value of an entry.
func (e *entry) encode() ([]byte, error) {
	line, err := json.Marshal(head{
		mailbox: e.box, Function: e.Function, Run: e.Run, Version: e.Version, Status: e.Status, Reason: e.Reason, Step: e.Step, Layout: e.Layout,
		Labels: e.Labels, Created: nanos.Nullable(e.Created), Updated: nanos.Nullable(e.Updated), Owner: e.Owner, Epoch: e.Epoch, Due: nanos.Nullable(e.Due),
		Seen: e.Seen, Floor: e.Floor,
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(line, []byte("\n"), e.State), nil
}

// decode returns the entry of a value.
func decode(id string, value []byte, seq uint64) (*entry, error) {
	line, state, ok := bytes.Cut(value, []byte("\n"))
	var h head
	if err := json.Unmarshal(line, &h); err != nil || !ok {
		return nil, fmt.Errorf("%w: the entry of %q cannot be read: %w", ErrForeign, id, stores.ErrCorrupt)
	}
	e := &entry{seq: seq, box: h.mailbox, Record: stores.Record{
		ID: id, Function: h.Function, Run: h.Run, Version: h.Version, Status: h.Status, Reason: h.Reason, Step: h.Step, Layout: h.Layout, Labels: h.Labels,
		Created: nanos.Time(h.Created), Updated: nanos.Time(h.Updated), Owner: h.Owner, Epoch: h.Epoch, Due: nanos.Time(h.Due), Seen: h.Seen, Floor: h.Floor,
	}}
	if len(state) > 0 {
		e.State = state
	}
	return e, nil
}

// clone returns a copy whose state and labels can be changed.
func (e *entry) clone() *entry {
	c := *e
	c.State, c.Labels = slices.Clone(e.State), maps.Clone(e.Labels)
	return &c
}

// mail reports whether there are messages that the writer of the record has not seen.
func (e *entry) mail() bool { return e.box.Last > e.Seen }

// note is the index's data about an entry. It is the header of the entry's message.
type note struct {
	Function string        `json:"f"`
	Step     string        `json:"s,omitempty"`
	Layout   string        `json:"l,omitempty"`
	Owner    string        `json:"o,omitempty"`
	Status   stores.Status `json:"t"`
	Wake     *int64        `json:"w,omitempty"` // when it is due if it has no owner
	Updated  *int64        `json:"u,omitempty"`
}

// noteHeader is the header that carries a note, and leaseHeaderName the header that carries the
// end of a lease.
const (
	noteHeader      = "Movenext"
	leaseHeaderName = "Movenext-Lease"
)

func (e *entry) note() note {
	n := note{Function: e.Function, Step: e.Step, Layout: e.Layout, Owner: e.Owner, Status: e.Status, Updated: nanos.Nullable(e.Updated)}
	switch {
	case e.Owner != "":
	case e.mail() && (e.Status == stores.Running || e.Status == stores.Waiting):
		n.Wake = new(int64)
	default:
		n.Wake = nanos.Nullable(e.Due)
	}
	return n
}

// hash returns a short form of a message's key.
func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// maxText is the maximum length of an id or of the name of a worker, in bytes: it becomes a part
// of a subject.
const maxText = 1000

// token returns a text as a part of a subject, encoded if necessary.
func token(text string) string {
	for _, c := range []byte(text) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "=" + base64.RawURLEncoding.EncodeToString([]byte(text))
		}
	}
	if text == "" {
		return "="
	}
	return text
}

// text is the inverse of token.
func text(token string) (string, bool) {
	encoded, ok := strings.CutPrefix(token, "=")
	if !ok {
		return token, true
	}
	data, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(data), err == nil
}
