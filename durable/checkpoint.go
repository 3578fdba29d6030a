package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

// magic begins each state, and contains the number of the format. The rest of its line is the
// checksum of the bytes that follow.
const (
	magic  = magics + "1 "
	magics = "movenext durable "
)

// isLater reports whether the head of a state belongs to a later format.
func isLater(head []byte) bool {
	rest, ok := strings.CutPrefix(string(head), magics)
	number, _, more := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	return ok && more && err == nil && n > 1
}

// checkpoint is the document inside a State.
type checkpoint struct {
	Layout   string        `json:"layout"`
	Point    string        `json:"point"`
	At       string        `json:"at,omitempty"`
	Step     string        `json:"step,omitempty"`
	Steps    int64         `json:"steps"`             // begun so far
	Attempt  int           `json:"attempt,omitempty"` // starts of this step
	Failures int           `json:"failures,omitempty"`
	Crashes  int           `json:"crashes,omitempty"`  // since the instance has moved on
	Progress []byte        `json:"progress,omitempty"` // of the step
	Canceled bool          `json:"canceled,omitempty"`
	Taken    []int64       `json:"taken,omitempty"` // messages received, above the floor
	Aside    []Aside       `json:"aside,omitempty"`
	Look     time.Duration `json:"look,omitempty"` // the latest interval at which it was due for them
	Signal   string        `json:"signal,omitempty"`
	Signals  []string      `json:"signals,omitempty"` // of a Select
	Checked  int64         `json:"checked,omitempty"` // no message up to this one ends the wait
	Until    time.Time     `json:"until,omitzero"`

	Fails json.RawMessage `json:"fails,omitempty"` // the error with which the point continues
	Retry json.RawMessage `json:"retry,omitempty"` // the policy of this call of the step

	Values   map[string]any `json:"values"`
	Objects  []any          `json:"objects,omitempty"`
	Deferred []deferredData `json:"deferred,omitempty"`
	Undoing  bool           `json:"undoing,omitempty"` // the step is the last of Deferred

	Parent  string         `json:"parent,omitempty"` // its id
	Join    *childrenState `json:"join,omitempty"`
	Orphans string         `json:"orphans,omitempty"` // what becomes of the children if it is terminated
	Answers []answerData   `json:"answers,omitempty"`
	Trail   []trailPoint   `json:"trail,omitempty"`
	Resets  []Reset        `json:"resets,omitempty"`

	Result json.RawMessage `json:"result,omitempty"` // a document: the result of an ended instance
	Err    json.RawMessage `json:"err,omitempty"`
	Reads  []string        `json:"reads,omitempty"` // the layouts whose programs can read Result
	Asked  string          `json:"asked,omitempty"` // the hash of the request

	Labels map[string]string `json:"labels,omitempty"` // of a child that has not been started
}

// deferredData is a deferred call in a checkpoint.
type deferredData struct {
	Site int    `json:"site"`
	Step string `json:"step"`
	Args any    `json:"args"`
}

// seal encodes a document and adds its checksum.
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

// valueOf returns the variable to which ptr points.
func valueOf(ptr any) reflect.Value { return reflect.ValueOf(ptr).Elem() }

// hashOf returns the hash that identifies a request.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// variables returns the variables of a frame at a point, and those of its deferred calls.
func variables(live []gen.Value, deferred []deferredCall) []named {
	var list []named
	for _, v := range live {
		list = append(list, named{v.Name, reflect.ValueOf(v.Ptr).Elem()})
	}
	for i, d := range deferred {
		list = append(list, named{deferredName(i), reflect.ValueOf(d.args).Elem()})
	}
	return list
}

// deferredName returns the name under which the arguments of a deferred call are encoded. They
// are encoded together with the variables, with which they may share objects. No variable has
// such a name.
func deferredName(i int) string { return fmt.Sprintf("defer %d", i) }

// capture puts the values of a frame into a document.
func (doc *checkpoint) capture(f gen.Frame, point int, deferred []deferredCall) (err error) {
	doc.Values, doc.Objects, err = encodeAll(variables(f.Live(point), deferred))
	doc.Deferred = nil
	for i, d := range deferred {
		_, step := f.Deferred(d.site)
		doc.Deferred = append(doc.Deferred, deferredData{d.site, step, doc.Values[deferredName(i)]})
		delete(doc.Values, deferredName(i))
	}
	return err
}

// restore fills a new frame, and returns its deferred calls.
func (doc *checkpoint) restore(f gen.Frame, point int) ([]deferredCall, error) {
	deferred, values, err := doc.compensations(f)
	if err != nil {
		return nil, err
	}
	maps.Copy(values, doc.Values)
	return deferred, decodeAll(values, doc.Objects, variables(f.Live(point), deferred))
}

// compensations returns the deferred calls of a document, and the values from which to load them.
func (doc *checkpoint) compensations(f gen.Frame) (list []deferredCall, values map[string]any, err error) {
	values = map[string]any{}
	for i, d := range doc.Deferred {
		site, args := siteOf(f, d)
		if args == nil {
			return nil, nil, fmt.Errorf("durable: there is no deferred call of %s", d.Step)
		}
		list = append(list, deferredCall{site, args})
		values[deferredName(i)] = d.Args
	}
	if doc.Undoing && len(list) == 0 {
		return nil, nil, fmt.Errorf("%w: it makes a deferred call, and has none", ErrCorrupt)
	}
	return list, values, nil
}

// maxSites limits the number of deferred calls that siteOf tries.
const maxSites = 1000

// siteOf finds the deferred call of a frame for one that was saved. In another version of the
// function it may have another number; any deferred call of the same step will do.
func siteOf(f gen.Frame, d deferredData) (site int, args any) {
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

// encodePayload encodes the value of a signal.
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

// decodePayload decodes the value of a signal.
func decodePayload[T any](data []byte) (v T, err error) {
	err = decodePayloadInto(data, &v)
	return v, err
}

// decodePayloadInto decodes the value of a signal into the variable to which into points. After an
// error the variable is zero.
func decodePayloadInto(data []byte, into any) error {
	to := into
	if s, ok := into.(strict); ok {
		to = s.value()
	}
	if err := decodeAlone(data, valueOf(to)); err != nil {
		valueOf(into).SetZero()
		return fmt.Errorf("%w: it does not carry a %v: %w", ErrUnreadable, valueOf(into).Type(), err)
	}
	return nil
}

// EncodeSignal returns the payload of a signal that carries v, as [Engine.Signal] stores it. It
// is for implementations of [gen.Plain].
func EncodeSignal(v any) ([]byte, error) { return encodePayload(v) }

// DecodeSignal decodes a payload made by [EncodeSignal]. The result shares no memory with
// anything.
func DecodeSignal[T any](payload []byte) (T, error) { return decodePayload[T](payload) }
