package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/movenext/movenext/durable/gen"
)

// Migration converts checkpoints of the layout From to the layout To.
type Migration struct {
	From, To string
	Func     func(*Saved) error
}

// addMigrations checks migrations and keeps them by the layout that they load.
func (f *definition) addMigrations(list []Migration) error {
	for _, m := range list {
		if _, twice := f.migrations[m.From]; twice || m.Func == nil || m.From == m.To {
			return fmt.Errorf("durable: %s has two migrations from layout %q, or one that leads nowhere", f.name, m.From)
		}
		f.migrations[m.From] = m
	}
	return nil
}

// migrate applies migrations to a document until its layout is known. It changes the document
// only in memory: nothing is stored before the next checkpoint. Whatever decodes saved values
// calls it first: it is an error to know the layout, and to decode values that a migration would
// have changed.
func (f *definition) migrate(doc *checkpoint) (err error) {
	defer recoverTo(&err)
	if !f.knows(doc.Layout) {
		return foreignLayout(doc.Layout)
	}
	for doc.Layout != f.layout {
		m, ok := f.migrations[doc.Layout]
		if !ok {
			return nil
		}
		if doc.Values == nil {
			doc.Values = map[string]any{}
		}
		s := &Saved{f: f, doc: doc, values: doc.Values, set: map[string]reflect.Value{}}
		if err := m.Func(s); err != nil {
			return fmt.Errorf("durable: the migration from layout %q has failed: %w", m.From, err)
		}
		for _, part := range append(s.undos, s) {
			if err := part.write(); err != nil {
				return fmt.Errorf("durable: the migration from layout %q: %w", m.From, err)
			}
		}
		doc.Layout, doc.Progress = m.To, nil
	}
	return nil
}

// Saved is the saved state of an instance, as passed to a migration. A migration is a function
// annotated with
//
//	//movenext:migrate name=shop.Order from=1f0c2a9b6d3e4875
//
// that converts the values of an older version into those that the present version needs at the
// same point. It must have no effect outside the Saved: it may run again after a crash. If it
// returns an error or panics, the instance is stuck, in its saved state. A Saved must be used by
// one goroutine, and only until the migration returns.
//
// It runs wherever values of an older version are read: for an instance that continues, for
// [Instance.Value], for the values to which [Engine.Reset] goes back, and at the point "return"
// for the result of an instance that has ended, whose only value is the result. The progress of a
// step is dropped.
//
// Saved values have the names that the layout file shows: for a variable, its name, followed by
// an @ and the enclosing statements if it is declared inside any; for an argument,
// POINT.PARAMETER.
type Saved struct {
	f      *definition
	doc    *checkpoint
	values map[string]any           // those of doc, or the arguments of a deferred call
	set    map[string]reflect.Value // the values set by the migration
	undos  []*Saved                 // the deferred calls that the migration has looked at
}

// Point returns the name of the point where the instance was saved.
func (s *Saved) Point() string { return s.doc.Point }

// Has reports whether there is a value with that name.
func (s *Saved) Has(name string) bool {
	_, saved := s.values[name]
	_, set := s.set[name]
	return saved || set
}

// Get reads a value into the variable to which ptr points. Its type need not be the one with
// which the value was saved; its structs may have more fields, or fewer, but not both. The
// result shares nothing with the saved values.
func (s *Saved) Get(name string, ptr any) error {
	v := reflect.ValueOf(ptr)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("durable: Get needs a pointer to read into")
	}
	if set, ok := s.set[name]; ok {
		if set.Type() != v.Elem().Type() {
			return mismatch(v.Elem(), set.Interface())
		}
		v.Elem().Set(set)
		return nil
	}
	return decodeAll(s.values, s.doc.Objects, []named{{name, v.Elem()}})
}

// Undo returns a deferred compensation that the instance would call, by its number from 0 in the
// order in which they were deferred: the name of its step, and its arguments, as the values A1, A2
// and so on. Without one of that number, args is nil.
func (s *Saved) Undo(n int) (step string, args *Saved) {
	if n < 0 || n >= len(s.doc.Deferred) {
		return "", nil
	}
	d := &s.doc.Deferred[n]
	values, ok := d.Args.(map[string]any)
	if !ok {
		values = map[string]any{}
		d.Args = values
	}
	args = &Saved{f: s.f, doc: s.doc, values: values, set: map[string]reflect.Value{}}
	s.undos = append(s.undos, args)
	return d.Step, args
}

// Set saves the value to which ptr points under a name, replacing any value of that name. Its
// type must be that of the variable. Set fails if the value cannot be saved.
func (s *Saved) Set(name string, ptr any) error {
	v := reflect.ValueOf(ptr)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("durable: Set needs a pointer to the value")
	}
	box := reflect.New(v.Type().Elem()).Elem()
	box.Set(v.Elem())
	if _, err := encodeAlone(box); err != nil {
		return err
	}
	s.set[name] = box
	delete(s.values, name)
	return nil
}

// Rename gives a value another name. Objects that it shares with other values stay shared.
func (s *Saved) Rename(from, to string) error {
	if !s.Has(from) || s.Has(to) {
		return fmt.Errorf("durable: %s has not been saved, or %s has", from, to)
	}
	if v, ok := s.set[from]; ok {
		s.set[to] = v
		delete(s.set, from)
		return nil
	}
	s.values[to] = s.values[from]
	delete(s.values, from)
	return nil
}

// MoveTo makes the instance continue at another point. A step that has certainly not run can move
// to another step, whose arguments must be set. A wait can move to a wait for the same signal or
// the same time. Any instance can move to the beginning, if the request is set.
func (s *Saved) MoveTo(point string) error {
	n, ok := s.f.number[point]
	if !ok || n == gen.Returning {
		return fmt.Errorf("durable: the function has no point %q", point)
	}
	to := s.f.points[n]
	if n != 0 && (to.Step == "") != (s.doc.Step == "") || n != 0 && s.doc.Undoing {
		return fmt.Errorf("durable: %s and %s do not wait for the same kind of thing", s.doc.Point, point)
	}
	s.doc.Point, s.doc.At, s.doc.Step, s.doc.Retry = to.Name, to.At, to.Step, nil
	return nil
}

// write puts the values that were set into the document, as if they had been loaded with the
// rest.
func (s *Saved) write() error {
	if len(s.set) == 0 {
		return nil
	}
	var list []named
	for name, v := range s.set {
		list = append(list, named{name, v})
	}
	values, objects, err := encodeAll(list)
	if err != nil {
		return err
	}
	text, err := json.Marshal(checkpoint{Values: values, Objects: objects})
	if err != nil {
		return err
	}
	var more checkpoint
	if err := parse(text, &more); err != nil {
		return err
	}
	first := len(s.doc.Objects)
	for name, v := range more.Values {
		s.values[name] = shiftRefs(v, first)
	}
	for _, o := range more.Objects {
		s.doc.Objects = append(s.doc.Objects, shiftRefs(o, first))
	}
	return nil
}

// shiftRefs returns v with its references shifted by first, for objects that follow others.
func shiftRefs(v any, first int) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = shiftRefs(v[i], first)
		}
	case map[string]any:
		if n, ok := refOf(v); ok {
			return map[string]any{"$ref": json.Number(strconv.Itoa(n + first))}
		}
		for name := range v {
			v[name] = shiftRefs(v[name], first)
		}
	}
	return v
}
