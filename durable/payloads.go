package durable

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// Codec transforms what a store keeps: it encrypts or compresses. Both methods are passed the id
// of the instance. An encryption should authenticate the id, so that a store cannot exchange the
// data of two instances. The methods are called concurrently, do not retain their arguments, and
// return new slices. Decode returns the original of anything that Encode returned, and an error
// for any other input.
type Codec interface {
	Encode(id string, plain []byte) ([]byte, error)
	Decode(id string, data []byte) ([]byte, error)
}

// Payloads makes an engine pass what it stores through a codec: checkpoints, outcomes, the values
// of signals and the reasons of stuck instances. Ids, labels, times, the keys of signals and the
// names of functions, steps and signals stay readable, since stores use them. Data stored earlier
// without a codec can still be read. An instance whose checkpoint cannot be decoded is stuck,
// unchanged; an instance whose messages cannot be decoded waits.
func Payloads(c Codec) Option { return func(s *settings) { s.codec = c } }

// codedStore is a store whose data passes through a codec.
type codedStore struct {
	stores.Store
	codec Codec
}

// codedMark is the prefix of data that a codec has encoded.
const codedMark = "movenext coded 1\n"

func (s codedStore) encode(id string, plain []byte) (data []byte, err error) {
	if bytes.HasPrefix(plain, []byte(codedMark)) || len(plain) == 0 {
		return plain, nil // it could not be decoded, and stays unchanged
	}
	defer recoverTo(&err)
	if data, err = s.codec.Encode(id, plain); err != nil {
		return nil, fmt.Errorf("durable: the codec fails: %w", err)
	}
	return append([]byte(codedMark), data...), nil
}

func (s codedStore) decode(id string, data []byte) (plain []byte, err error) {
	data, ok := bytes.CutPrefix(data, []byte(codedMark))
	if !ok {
		return data, nil
	}
	defer recoverTo(&err)
	if plain, err = s.codec.Decode(id, data); err != nil {
		return nil, fmt.Errorf("durable: the codec fails: %w", err)
	}
	return plain, nil
}

// read decodes a record. It leaves a state that cannot be decoded unchanged: open will fail on
// it.
func (s codedStore) read(r *stores.Record) {
	if plain, err := s.decode(r.ID, r.State); err == nil {
		r.State = plain
	}
	text, ok := strings.CutPrefix(r.Reason, codedMark)
	if !ok {
		return
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return
	}
	if plain, err := s.decode(r.ID, append([]byte(codedMark), data...)); err == nil {
		r.Reason = string(plain)
	}
}

func (s codedStore) Load(ctx context.Context, id string) (*stores.Record, error) {
	r, err := s.Store.Load(ctx, id)
	if err == nil {
		s.read(r)
	}
	return r, err
}

func (s codedStore) List(ctx context.Context, f Filter) ([]*stores.Record, error) {
	list, err := s.Store.List(ctx, f)
	for _, r := range list {
		s.read(r)
	}
	return list, err
}

func (s codedStore) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	due, next, err = s.Store.Take(ctx, t)
	for _, d := range due {
		s.read(d.Record)
	}
	return due, next, err
}

func (s codedStore) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	return s.swap(r, func(stored *stores.Record) (bool, error) { return s.Store.Swap(ctx, stored) })
}

// swap encodes a record and writes it.
func (s codedStore) swap(r *stores.Record, write func(*stores.Record) (bool, error)) (mail bool, err error) {
	stored := *r
	if stored.State, err = s.encode(r.ID, r.State); err != nil {
		return false, err
	}
	if r.Reason != "" && !strings.HasPrefix(r.Reason, codedMark) {
		data, err := s.encode(r.ID, []byte(r.Reason))
		if err != nil {
			return false, err
		}
		stored.Reason = codedMark + base64.StdEncoding.EncodeToString(data[len(codedMark):])
	}
	mail, err = write(&stored)
	r.Version = stored.Version
	return mail, err
}

func (s codedStore) Send(ctx context.Context, id string, m stores.Message) (err error) {
	if m.Payload, err = s.encode(id, m.Payload); err != nil {
		return err
	}
	return s.Store.Send(ctx, id, m)
}

func (s codedStore) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	list, err := s.Store.Inbox(ctx, id, after)
	return s.decodeAll(id, list, err)
}

// decodeAll decodes messages.
func (s codedStore) decodeAll(id string, list []stores.Message, err error) ([]stores.Message, error) {
	for i := range list {
		if err != nil {
			break
		}
		list[i].Payload, err = s.decode(id, list[i].Payload)
	}
	return list, err
}

// codedTransactor is a Transactor whose data passes through a codec.
type codedTransactor struct {
	transactor stores.Transactor
	codec      Codec
}

// Begin begins a transaction whose checkpoints are encoded.
func (t codedTransactor) Begin(ctx context.Context) (stores.Transaction, error) {
	tx, err := t.transactor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return codedTransaction{tx, codedStore{codec: t.codec}}, nil
}

// codedTransaction is a Transaction whose data passes through a codec.
type codedTransaction struct {
	stores.Transaction
	store codedStore
}

func (t codedTransaction) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	return t.store.swap(r, func(stored *stores.Record) (bool, error) { return t.Transaction.Swap(ctx, stored) })
}

func (t codedTransaction) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	list, err := t.Transaction.Inbox(ctx, id, after)
	return t.store.decodeAll(id, list, err)
}
