package durable

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// The first pass of an encoder: which objects a value reaches, and which memory they occupy.

// region is memory that a value occupies.
type region struct {
	from, to uintptr
	path     *route
}

func (e *encoder) addRegion(address, size uintptr, path *route) {
	if size > 0 {
		e.regions = append(e.regions, region{address, address + size, path})
	}
}

// overlaps returns an error about the first two regions that overlap.
func (e *encoder) overlaps() error {
	slices.SortFunc(e.regions, func(a, b region) int {
		if a.from != b.from {
			return cmp.Compare(a.from, b.from)
		}
		return strings.Compare(a.path.String(), b.path.String())
	})
	for i := 1; i < len(e.regions); i++ {
		a, b := e.regions[i-1], e.regions[i]
		if b.from < a.to {
			return fmt.Errorf("durable: %s cannot be saved: it overlaps with %s in memory, and after loading it would not", b.path, a.path)
		}
		if a.to > b.to {
			e.regions[i].to = a.to
		}
	}
	return nil
}

// survey counts the objects reached from a value.
func (e *encoder) survey(v reflect.Value, path *route) error {
	if why := inexact(v.Type()); why != "" {
		return errUnsavable(path.String(), v.Type(), why)
	}
	if _, ok := marshaler(v.Type()); ok {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return e.surveyObject(v, path)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Name == "_" {
				continue
			}
			field := &route{up: path, field: f.Name}
			if !f.IsExported() {
				return errUnsavable(field.String(), f.Type, "the field is not exported, and the struct does not marshal itself")
			}
			if err := e.survey(v.Field(i), field); err != nil {
				return err
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if err := e.survey(v.Index(i), &route{up: path, index: i}); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if !isError(v.Type()) {
			return errUnsavable(path.String(), v.Type(), "what an interface holds is not known when it is loaded; error is the only one that is saved")
		}
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr:
		return errUnsavable(path.String(), v.Type(), "it means nothing in another process")
	}
	return nil
}

func (e *encoder) surveyObject(v reflect.Value, path *route) error {
	o, ok := identity(v)
	if ok {
		e.count[o]++
		if e.count[o] > 1 {
			return nil
		}
		if len(e.count) > maxObjects {
			return fmt.Errorf("%w: there are more than %d objects", ErrTooLarge, maxObjects)
		}
	}
	if v.IsNil() {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		e.addRegion(v.Pointer(), v.Type().Elem().Size(), path)
		return e.survey(v.Elem(), path)
	case reflect.Map:
		for k, elem := range v.Seq2() {
			entry := &route{up: path, key: k}
			if err := errors.Join(e.survey(k, entry), e.survey(elem, entry)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		e.addRegion(v.Pointer(), uintptr(v.Len())*v.Type().Elem().Size(), path)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			if err := e.survey(v.Index(i), &route{up: path, index: i}); err != nil {
				return err
			}
		}
	}
	return nil
}

func isError(t reflect.Type) bool { return t == reflect.TypeFor[error]() }

// identity identifies the referent of a pointer, map or slice. Nil and empty slices have none.
func identity(v reflect.Value) (object, bool) {
	if v.IsNil() {
		return object{}, false
	}
	o := object{address: v.Pointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		o.len = v.Len()
		return o, o.len > 0 && v.Type().Elem().Size() > 0
	}
	return o, v.Kind() == reflect.Map || v.Type().Elem().Size() > 0
}
