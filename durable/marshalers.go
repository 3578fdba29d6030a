package durable

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Types that marshal themselves.

// form is how a type's own methods write and read it.
type form struct {
	write func(reflect.Value) (any, error)
	read  func(reflect.Value, any) error
}

// marshaler returns the form of a type that marshals itself.
func marshaler(t reflect.Type) (form, bool) {
	switch {
	case !ownForm(t):
		return form{}, false
	case isTime(t):
		return form{writeTime, readTime}, true
	}
	if implements[json.Marshaler](t) && implements[json.Unmarshaler](t) {
		return form{writeJSON, readJSON}, true
	}
	return form{writeText, readText}, true
}

// ownForm reports whether a type marshals itself. Methods promoted from an embedded field would
// lose the other fields of a struct, so such a struct is encoded like any other if possible.
func ownForm(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer || asBytes(t) {
		return false
	}
	asJSON, asText := implements[json.Marshaler](t) && implements[json.Unmarshaler](t), implements[encoding.TextMarshaler](t) && implements[encoding.TextUnmarshaler](t)
	if !asJSON && !asText {
		return false
	}
	if t.Kind() != reflect.Struct {
		return true
	}
	embeds, exported := false, true
	for i := range t.NumField() {
		f := t.Field(i)
		embeds = embeds || f.Anonymous && ownForm(f.Type)
		exported = exported && f.IsExported()
	}
	return !embeds || !exported
}

func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// pointerTo returns a pointer to v, or to a copy of it.
func pointerTo(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}

func writeJSON(v reflect.Value) (any, error) {
	raw, err := pointerTo(v).(json.Marshaler).MarshalJSON()
	if err == nil && !isPlainJSON(raw) {
		if !json.Valid(raw) {
			return nil, fmt.Errorf("durable: what MarshalJSON of a %s returns is no JSON", v.Type())
		}
		return map[string]any{"$raw": text(string(raw))}, nil
	}
	return map[string]any{"$json": json.RawMessage(raw)}, err
}

func readJSON(v reflect.Value, from any) error {
	m, ok := from.(map[string]any)
	if !ok {
		return errors.New("durable: it was not saved by the type's own methods")
	}
	into := v.Addr().Interface().(json.Unmarshaler)
	if exact, ok := m["$raw"]; ok {
		s, err := readString(exact)
		if err != nil {
			return err
		}
		return into.UnmarshalJSON([]byte(s))
	}
	raw, err := json.Marshal(m["$json"])
	if err != nil {
		return err
	}
	return into.UnmarshalJSON(raw)
}

func writeText(v reflect.Value) (any, error) {
	raw, err := pointerTo(v).(encoding.TextMarshaler).MarshalText()
	return text(string(raw)), err
}

func readText(v reflect.Value, from any) error {
	s, err := readString(from)
	if err != nil {
		return err
	}
	return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}
