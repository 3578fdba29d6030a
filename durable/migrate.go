package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// Migration makes what was saved with the layout From into what the layout To has.
type Migration struct {
	From, To string
	Func     func(*Saved) error
}

// migrate checks migrations, and keeps them by what they load.
func (f *described) migrate(list []Migration) error {
	for _, m := range list {
		if _, twice := f.migrations[m.From]; twice || m.Func == nil || m.From == m.To {
			return fmt.Errorf("durable: %s has two migrations from layout %q, or one that leads nowhere", f.name, m.From)
		}
		f.migrations[m.From] = m
	}
	return nil
}

// migrated applies migrations to a document until its layout is known. The document is new in
// memory alone: nothing is stored before the next checkpoint.
func (f *described) migrated(doc *checkpoint) (err error) {
	defer caught(&err)
	for doc.Layout != f.layout {
		m, ok := f.migrations[doc.Layout]
		if !ok {
			return nil
		}
		s := &Saved{f: f, doc: doc, set: map[string]reflect.Value{}}
		if err := m.Func(s); err != nil {
			return fmt.Errorf("durable: the migration from layout %q has failed: %w", m.From, err)
		}
		if err := s.write(); err != nil {
			return fmt.Errorf("durable: the migration from layout %q: %w", m.From, err)
		}
		doc.Layout = m.To
	}
	return nil
}

// Saved is what an instance has saved, in the hands of a migration: a function that is named by
//
//	//movenext:migrate name=shop.Order from=1f0c2a9b6d3e4875
//
// and makes values of an older version into those that the present one needs at the same point.
// It must have no effect outside of the Saved: it may run again after a crash. If it returns an
// error or panics, the instance is stuck, as it was saved. A Saved is for one goroutine, until the
// migration returns.
//
// Saved values have the names that the layout file shows: a variable's name, with an @ and the
// statements around it if it is declared inside of some; or POINT.PARAMETER for an argument.
type Saved struct {
	f   *described
	doc *checkpoint
	set map[string]reflect.Value // what has been given
}

// Point is the name of the point where the instance was saved.
func (s *Saved) Point() string { return s.doc.Point }

// Has reports whether there is a value of a name.
func (s *Saved) Has(name string) bool {
	_, saved := s.doc.Values[name]
	_, set := s.set[name]
	return saved || set
}

// Get reads a value into what ptr points to, whose type need not be the one that it was saved
// with: it has to have the same fields. It shares nothing with the values that stay.
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
	return decodeAll(s.doc.Values, s.doc.Objects, []named{{name, v.Elem()}})
}

// Set saves what ptr points to under a name, in the place of what was saved under it. The type is
// that of the variable. It fails if the value cannot be saved.
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
	delete(s.doc.Values, name)
	return nil
}

// Rename gives a value another name. What it shares with other values stays shared.
func (s *Saved) Rename(from, to string) error {
	if !s.Has(from) || s.Has(to) {
		return fmt.Errorf("durable: %s has not been saved, or %s has", from, to)
	}
	if v, ok := s.set[from]; ok {
		s.set[to] = v
		delete(s.set, from)
		return nil
	}
	s.doc.Values[to] = s.doc.Values[from]
	delete(s.doc.Values, from)
	return nil
}

// MoveTo makes the instance continue at another point: a step that has not run for certain at a
// step, whose arguments have to be set; a wait at a wait for the same signal, or the same time.
// Anything can begin again, if the request is set.
func (s *Saved) MoveTo(point string) error {
	n, ok := s.f.number[point]
	if !ok || n == Returning {
		return fmt.Errorf("durable: the function has no point %q", point)
	}
	to := s.f.points[n]
	if n != 0 && (to.Step == "") != (s.doc.Step == "") || n != 0 && s.doc.Undoing {
		return fmt.Errorf("durable: %s and %s do not wait for the same kind of thing", s.doc.Point, point)
	}
	s.doc.Point, s.doc.At, s.doc.Step = to.Name, to.At, to.Step
	return nil
}

// write puts what has been set into the document, as if it had been loaded with the rest.
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
	if s.doc.Values == nil {
		s.doc.Values = map[string]any{}
	}
	first := len(s.doc.Objects)
	for name, v := range more.Values {
		s.doc.Values[name] = renumbered(v, first)
	}
	for _, o := range more.Objects {
		s.doc.Objects = append(s.doc.Objects, renumbered(o, first))
	}
	return nil
}

// renumbered is a value whose references are to objects that stand behind others.
func renumbered(v any, first int) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = renumbered(v[i], first)
		}
	case map[string]any:
		if n, ok := refOf(v); ok {
			return map[string]any{"$ref": json.Number(strconv.Itoa(n + first))}
		}
		for name := range v {
			v[name] = renumbered(v[name], first)
		}
	}
	return v
}
