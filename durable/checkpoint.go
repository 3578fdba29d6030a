package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// MaxCheckpoint is how large a checkpoint, a signal or an outcome may be, in bytes.
const MaxCheckpoint = 1 << 20

// ErrTooLarge says that something to save has more than MaxCheckpoint bytes, or more than its
// store can keep; of the answer to an update, that it has more than 64 KiB.
var ErrTooLarge = fmt.Errorf("durable: more than %d bytes to save", MaxCheckpoint)

// ErrCorrupt says that a checkpoint is not what was saved.
var ErrCorrupt = errors.New("durable: the checkpoint is damaged")

// ErrLater says that a checkpoint has a format that this program does not know.
var ErrLater = errors.New("durable: a later version of package durable has saved it: deploy a program with that one")

// magic begins each state; the rest of its line is the checksum of what follows. The number is
// that of the format.
const (
	magic  = magics + "1 "
	magics = "movenext durable "
)

// isLater reports whether the head of a state is that of a later format.
func isLater(head []byte) bool {
	rest, ok := strings.CutPrefix(string(head), magics)
	number, _, more := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	return ok && more && err == nil && n > 1
}

// checkpoint is the document of a State.
type checkpoint struct {
	Layout   string         `json:"layout"`
	Point    string         `json:"point"`
	At       string         `json:"at,omitempty"`
	Step     string         `json:"step,omitempty"`
	Steps    int64          `json:"steps"`             // begun so far
	Attempt  int            `json:"attempt,omitempty"` // starts of this step
	Failures int            `json:"failures,omitempty"`
	Progress []byte         `json:"progress,omitempty"` // of the step
	Canceled bool           `json:"canceled,omitempty"`
	Taken    []int64        `json:"taken,omitempty"` // messages received, above the floor
	Signal   string         `json:"signal,omitempty"`
	Until    time.Time      `json:"until,omitzero"`
	Values   map[string]any `json:"values"`
	Objects  []any          `json:"objects,omitempty"`
	Deferred []deferredData `json:"deferred,omitempty"`
	Undoing  bool           `json:"undoing,omitempty"` // the step is the last of Deferred

	Parent  string     `json:"parent,omitempty"` // its id
	Join    *join      `json:"join,omitempty"`
	Answers []answered `json:"answers,omitempty"`
	Trail   []trailed  `json:"trail,omitempty"`
	Resets  []Reset    `json:"resets,omitempty"`

	Result json.RawMessage `json:"result,omitempty"` // of an ended instance: a document
	Err    json.RawMessage `json:"err,omitempty"`
	Asked  string          `json:"asked,omitempty"` // the hash of the request
}

// deferredData is a deferred call.
type deferredData struct {
	Site int    `json:"site"`
	Step string `json:"step"`
	Args any    `json:"args"`
}

// seal is a document with its checksum.
func seal(doc *checkpoint) ([]byte, error) {
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	if len(body) > MaxCheckpoint {
		return nil, fmt.Errorf("%w: the values have %d", ErrTooLarge, len(body))
	}
	sum := sha256.Sum256(body)
	return append([]byte(magic+hex.EncodeToString(sum[:])+"\n"), body...), nil
}

// open checks and reads a State.
func open(state []byte) (*checkpoint, error) {
	head, body, ok := bytes.Cut(state, []byte("\n"))
	if ok && isLater(head) {
		return nil, ErrLater
	}
	if len(body) > MaxCheckpoint {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, ErrTooLarge)
	}
	sum := sha256.Sum256(body)
	if !ok || string(head) != magic+hex.EncodeToString(sum[:]) {
		return nil, ErrCorrupt
	}
	doc := new(checkpoint)
	if err := parse(body, doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return doc, nil
}

// valueOf is what a pointer points to.
func valueOf(ptr any) reflect.Value { return reflect.ValueOf(ptr).Elem() }

// hashOf identifies a request.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// variables are those of a frame at a point, and of the deferred calls.
func variables(live []Value, deferred []deferredCall) []named {
	var list []named
	for _, v := range live {
		list = append(list, named{v.Name, reflect.ValueOf(v.Ptr).Elem()})
	}
	for i, d := range deferred {
		list = append(list, named{deferredName(i), reflect.ValueOf(d.args).Elem()})
	}
	return list
}

// deferredName is the name under which the arguments of a deferred call are encoded, next to the
// variables, with which they may share objects. No variable has such a name.
func deferredName(i int) string { return fmt.Sprintf("defer %d", i) }

// capture puts the values of a frame into a document.
func (doc *checkpoint) capture(f Frame, point int, deferred []deferredCall) (err error) {
	doc.Values, doc.Objects, err = encodeAll(variables(f.Live(point), deferred))
	doc.Deferred = nil
	for i, d := range deferred {
		_, step := f.Deferred(d.site)
		doc.Deferred = append(doc.Deferred, deferredData{d.site, step, doc.Values[deferredName(i)]})
		delete(doc.Values, deferredName(i))
	}
	return err
}

// restore fills a frame that has just been made, and returns its deferred calls.
func (doc *checkpoint) restore(f Frame, point int) ([]deferredCall, error) {
	deferred, values, err := doc.compensations(f)
	if err != nil {
		return nil, err
	}
	maps.Copy(values, doc.Values)
	return deferred, decodeAll(values, doc.Objects, variables(f.Live(point), deferred))
}

// compensations are the deferred calls of a document, and the values to load them from.
func (doc *checkpoint) compensations(f Frame) (list []deferredCall, values map[string]any, err error) {
	values = map[string]any{}
	for i, d := range doc.Deferred {
		site, args := siteOf(f, d)
		if args == nil {
			return nil, nil, fmt.Errorf("durable: there is no deferred call of %s", d.Step)
		}
		list = append(list, deferredCall{site, args})
		values[deferredName(i)] = d.Args
	}
	return list, values, nil
}

// maxSites is how many deferred calls are looked at.
const maxSites = 1000

// siteOf is the deferred call of a frame that was saved. A version of the function with other
// ones may have it under another number; calls of one step do the same.
func siteOf(f Frame, d deferredData) (site int, args any) {
	if args, step := f.Deferred(d.Site); step == d.Step {
		return d.Site, args
	}
	for site = 1; site < maxSites; site++ {
		args, step := f.Deferred(site)
		if args == nil {
			break
		}
		if step == d.Step {
			return site, args
		}
	}
	return 0, nil
}

// encodePayload is a signal's value.
func encodePayload(v any) ([]byte, error) {
	if v == nil {
		return []byte(`{"value":null}`), nil
	}
	box := reflect.New(reflect.TypeOf(v)).Elem()
	box.Set(reflect.ValueOf(v))
	data, err := encodeAlone(box)
	if err == nil && len(data) > MaxCheckpoint {
		err = ErrTooLarge
	}
	return data, err
}

func decodePayload[T any](data []byte) (T, error) {
	var v T
	if err := decodeAlone(data, reflect.ValueOf(&v).Elem()); err != nil {
		var none T
		return none, fmt.Errorf("durable: a signal does not carry a %T: %w", none, err)
	}
	return v, nil
}

// EncodeSignal returns the payload of a signal that carries v, as [Engine.Signal] stores it: for
// implementations of [Plain].
func EncodeSignal(v any) ([]byte, error) { return encodePayload(v) }

// DecodeSignal returns the value of a payload of [EncodeSignal]. What the value refers to is new.
func DecodeSignal[T any](payload []byte) (T, error) { return decodePayload[T](payload) }
