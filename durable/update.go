package durable

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Updates
//
// An update is a signal that is answered. Its message is stored first, like that of any signal.
// The function receives it as an Asked, and its answer becomes part of the next checkpoint. The
// same write therefore stores the answer and records that the message was received. So there is
// an answer exactly if the update has had its effect. After a crash before that write, the
// function receives the same update again. An answer that a caller has seen never changes.
//
//	the caller                          the worker
//	1. stores the message               2. reads the inbox; a Validate may refuse
//	                                    3. runs the function, which answers
//	4. reads the record until the       5. writes the next checkpoint, with the answer
//	   answer is there

// updateKey is the prefix of the key of a message that is an update.
const updateKey = "update "

// Limits on the answers that a checkpoint keeps. It keeps the newest, for callers that repeat an
// update.
const (
	maxAnswers     = 1000
	maxAnswerBytes = 64 << 10
)

// Asked is the value that a durable function receives for an [Update]:
//
//	asked, err := durable.Receive[durable.Asked[int]](ctx, "discount", time.Hour)
type Asked[T any] struct {
	Key   string // of the update
	Value T
}

// turnKey is the context key of a function's Turn.
type turnKey struct{}

// Answer answers an update: the caller of [Update] gets the value or the error, reduced as a
// step's error is. The answer becomes durable with the next point of the function; the caller
// does not see it before. Of two answers the first one counts. Answer does not block. Its error
// says that the answer cannot be saved, matches [ErrTooLarge] if the answer exceeds 64 KiB, or is
// ErrNotDurable where no durable function runs. In the plain form Answer does nothing.
func (a Asked[T]) Answer(ctx context.Context, value any, failure error) error {
	t, ok := nilctx.Background(ctx).Value(turnKey{}).(*turn)
	if !ok {
		_, err := plainOf(ctx)
		return err
	}
	one, err := newAnswer(a.Key, value, failure)
	if err == nil {
		t.answers = append(t.answers, one)
	}
	return err
}

// answerData is an answer as a checkpoint keeps it.
type answerData struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
	Err   json.RawMessage `json:"err,omitempty"`
}

// newAnswer encodes an answer.
func newAnswer(key string, value any, failure error) (a answerData, err error) {
	a.Key = key
	if failure != nil {
		a.Err, err = outcome(&failure)
	} else {
		a.Value, err = encodePayload(value)
	}
	if err == nil && len(a.Value)+len(a.Err) > maxAnswerBytes {
		return a, fmt.Errorf("%w: an answer has at most %d bytes", ErrTooLarge, maxAnswerBytes)
	}
	return a, err
}

// addAnswers adds answers, and drops the oldest if there are too many.
func (doc *checkpoint) addAnswers(list []answerData) {
	for _, a := range list {
		if _, ok := doc.findAnswer(a.Key); !ok {
			doc.Answers = append(doc.Answers, a)
		}
	}
	size := 0
	for n := len(doc.Answers) - 1; n >= 0; n-- {
		size += len(doc.Answers[n].Value) + len(doc.Answers[n].Err)
		if size > maxAnswerBytes || len(doc.Answers)-n > maxAnswers {
			doc.Answers = doc.Answers[n+1:]
			return
		}
	}
}

// findAnswer finds the answer to an update.
func (doc *checkpoint) findAnswer(key string) (answerData, bool) {
	for _, a := range doc.Answers {
		if a.Key == key {
			return a, true
		}
	}
	return answerData{}, false
}

// Validate registers a check for updates of a name. The function does not see an update that
// check refuses, and the update's caller gets the error. An update whose value is not a T is also
// refused. check is passed the instance as it was saved where it waits; it must have no effects,
// and may run more than once. Call Validate before instances run, once for each name. It does not
// block.
func Validate[T, Req, Res any](s *Served[Req, Res], name string, check func(i *Instance, value T) error) {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.f.checks[name] = func(i *Instance, payload []byte) (err error) {
		defer recoverTo(&err)
		asked, err := decodePayload[Asked[T]](payload)
		if err != nil {
			return err
		}
		return check(i, asked.Value)
	}
}

// updateCheck returns the check for updates of a name, or nil.
func (r *run) updateCheck(name string) func(*Instance, []byte) error {
	r.e.mu.Lock()
	defer r.e.mu.Unlock()
	return r.f.checks[name]
}

// hasUpdateCheck reports whether there is a check for updates of an awaited name.
func (r *run) hasUpdateCheck() bool {
	return r.updateCheck(r.doc.Signal) != nil ||
		slices.ContainsFunc(r.doc.Signals, func(name string) bool { return r.updateCheck(name) != nil })
}

// refuseUpdate reports whether a message must be kept from the function. If so, it answers the
// message.
func (r *run) refuseUpdate(m stores.Message, check func(*Instance, []byte) error) bool {
	if check == nil {
		return false
	}
	i := describeAs(r.record, r.doc)
	i.values = func() (*checkpoint, error) { return r.doc, nil }
	failure := check(i, m.Payload)
	if failure == nil {
		return false
	}
	if !r.refuse(m, failure) {
		r.receive(m)
	}
	return true
}

// refuse receives and answers a message, if it is an update.
func (r *run) refuse(m stores.Message, failure error) bool {
	key, ok := strings.CutPrefix(m.Key, updateKey)
	if !ok {
		return false
	}
	r.receive(m)
	a, err := newAnswer(key, nil, failure) // an error's text can always be saved
	if err != nil {                        // unless it is too long
		a, _ = newAnswer(key, nil, err)
	}
	r.doc.addAnswers([]answerData{a})
	return true
}

// Update sends a value to an instance, as [Engine.Signal] does, and waits for the answer of its
// function: see [Asked]. The option [SignalKey] identifies the update: a caller that got no
// answer repeats the call with the same key, and gets the answer to the first call. An instance
// keeps the newest answers, up to 1000 and 64 KiB, even after it has ended.
//
// Update blocks until the answer is durable. The error is the function's, the cause of ctx
// (then the update may still be received), ErrNotFound, ErrShutdown, or ErrEnded if the instance
// has ended without an answer.
func Update[R any](ctx context.Context, e *Engine, id, name string, value any, opts ...SignalOption) (answer R, err error) {
	ctx = nilctx.Background(ctx)
	key, err := e.sendUpdate(ctx, id, name, value, opts)
	if err != nil && !errors.Is(err, ErrEnded) { // it may have ended after answering
		return answer, err
	}
	var found answerData
	_, err = e.awaitRecord(ctx, id, func(r *stores.Record) (bool, error) {
		doc, err := open(r.State)
		if err != nil {
			return false, err
		}
		a, ok := doc.findAnswer(key)
		if !ok && r.Status.Ended() {
			return false, ErrEnded
		}
		found = a
		return ok, nil
	})
	if err != nil {
		return answer, err
	}
	err = found.decode(&answer)
	return answer, err
}

// sendUpdate sends the message of an update, and returns its key.
func (e *Engine) sendUpdate(ctx context.Context, id, name string, value any, opts []SignalOption) (key string, err error) {
	m := stores.Message{Key: rand.Text()}
	for _, opt := range opts {
		opt(&m)
	}
	key = m.Key
	m.Name, m.Key, m.Sent = name, updateKey+key, e.now()
	if m.Payload, err = encodeAsked(key, value); err != nil {
		return "", err
	}
	return key, e.signal(ctx, id, m)
}

// decode decodes the answer into the variable that into points to, or returns the function's
// error.
func (a answerData) decode(into any) error {
	if a.Err == nil {
		return decodeAlone(a.Value, reflect.ValueOf(into).Elem())
	}
	var failure error
	if err := decodeAlone(a.Err, reflect.ValueOf(&failure).Elem()); err != nil {
		return err
	}
	return failure
}

// encodeAsked returns the payload of an update: an Asked of the value's own type.
func encodeAsked(key string, value any) ([]byte, error) {
	payload, err := encodePayload(value)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := parse(payload, &doc); err != nil {
		return nil, err
	}
	doc.Value = map[string]any{"Key": text(key), "Value": doc.Value}
	return json.Marshal(doc)
}
