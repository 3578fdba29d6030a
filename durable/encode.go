package durable

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// # Values as JSON
//
// A value is written as encoding/json writes it wherever that preserves it. Otherwise it has a
// special form, an object with one key that begins with a dollar sign:
//
//	{"$ref": 3}            object 3 of the document: it is reached more than once
//	{"$ptr": v}            a pointer to a pointer, or to null
//	{"$bytes": "…"}        a string that is not UTF-8
//	{"$map": [[k, v], …]}  a map whose keys are not strings
//	{"$error": {…}}        an error
//	{"$json": …}           what MarshalJSON returns
//	{"$raw": "…"}          the same, if it would not come back exactly
//
// Struct fields have their Go names; tags are ignored. A map key that begins with a dollar sign
// is prefixed with a second one. NaN and the infinities are strings, a complex number is a pair.
//
// There are two passes. The first counts how often each pointer, map and slice is reached, and
// records the memory behind it. Regions of memory that overlap but are not the same object cannot
// be saved: after loading they would be two objects. The second pass writes.

// named is a value with its name in the checkpoint.
type named struct {
	name string
	v    reflect.Value // addressable: the variable itself
}

// inlineDepth is the nesting depth below which objects are written separately, so that a long
// list does not become one deep value that no decoder accepts.
const inlineDepth = 100

// maxObjects exceeds the number of objects that fit into a checkpoint. It limits the depth of
// the first pass.
const maxObjects = MaxCheckpoint / 4

// object identifies the referent of a pointer, a map or a slice.
type object struct {
	address uintptr
	typ     reflect.Type
	len     int
}

// route is the path by which a value is reached. It becomes text only where an error shows it: as
// text, the routes into a long list would have quadratic size.
type route struct {
	up    *route
	field string // or
	key   reflect.Value
	index int
}

// String returns the route in Go syntax.
func (r *route) String() string {
	var parts []string
	for ; r != nil; r = r.up {
		switch {
		case r.key.IsValid():
			parts = append(parts, fmt.Sprintf("[%v]", r.key))
		case r.field == "":
			parts = append(parts, "["+strconv.Itoa(r.index)+"]")
		case r.up == nil:
			parts = append(parts, r.field)
		default:
			parts = append(parts, "."+r.field)
		}
	}
	const most = 20
	slices.Reverse(parts)
	if len(parts) > most {
		parts = append(append(parts[:most/2:most/2], "…"), parts[len(parts)-most/2:]...)
	}
	return strings.Join(parts, "")
}

// encoder writes the values of one document.
type encoder struct {
	count   map[object]int
	regions []region

	// sparse leaves out what a program with other fields would leave out too: see sameness.
	sparse bool

	number   map[object]int // of the objects written separately
	separate []reflect.Value
	objects  []any
}

// encodeAll returns the encoded values and the objects that they share.
func encodeAll(list []named) (values map[string]any, objects []any, err error) {
	return (&encoder{}).all(list)
}

func (e *encoder) all(list []named) (values map[string]any, objects []any, err error) {
	e.count, e.number = map[object]int{}, map[object]int{}
	for _, n := range list {
		path := &route{field: n.name}
		e.addRegion(n.v.Addr().Pointer(), n.v.Type().Size(), path)
		if err := e.survey(n.v, path); err != nil {
			return nil, nil, err
		}
	}
	if err := e.overlaps(); err != nil {
		return nil, nil, err
	}
	values = map[string]any{}
	for _, n := range list {
		if values[n.name], err = e.value(n.v, 0); err != nil {
			return nil, nil, err
		}
	}
	for len(e.objects) < len(e.separate) { // separate grows during the loop
		v, err := e.referent(e.separate[len(e.objects)], 0)
		if err != nil {
			return nil, nil, err
		}
		e.objects = append(e.objects, v)
	}
	return values, e.objects, nil
}

// document is a set of values with their objects, for values saved on their own.
type document struct {
	Value   any   `json:"value"`
	Objects []any `json:"objects,omitempty"`
}

// encodeAlone returns a document with one value, which is addressable.
func encodeAlone(v reflect.Value) ([]byte, error) {
	values, objects, err := encodeAll([]named{{"value", v}})
	if err != nil {
		return nil, err
	}
	return json.Marshal(document{values["value"], objects})
}

// sameness returns a text that is equal for values that are the same request. In a request the
// zero value of a field is the same as no such field, so that a type may gain fields; nil is
// the same as empty, and -0 the same as 0.
func sameness(v reflect.Value) ([]byte, error) {
	values, objects, err := (&encoder{sparse: true}).all([]named{{"value", v}})
	if err != nil {
		return nil, err
	}
	return json.Marshal(document{values["value"], objects})
}

// isNothing reports whether a value is zero or empty.
func isNothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return v.Equal(reflect.Zero(v.Type()))
	case reflect.Array:
		for i := range v.Len() {
			if !isNothing(v.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if ownForm(v.Type()) {
			return v.IsZero()
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" && !isNothing(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}

func errUnsavable(path string, t reflect.Type, why string) error {
	return fmt.Errorf("durable: %s (type %s) cannot be saved: %s", path, t, why)
}

// The second pass.

// value returns v in the form that is passed to json.Marshal.
func (e *encoder) value(v reflect.Value, depth int) (any, error) {
	if m, ok := marshaler(v.Type()); ok {
		return m.write(v)
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return json.Number(strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return json.Number(strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float32, reflect.Float64:
		if e.sparse && v.Float() == 0 {
			return json.Number("0"), nil
		}
		return float(v.Float(), v.Type().Bits()), nil
	case reflect.Complex64, reflect.Complex128:
		c, bits := v.Complex(), v.Type().Bits()/2
		return []any{float(real(c), bits), float(imag(c), bits)}, nil
	case reflect.String:
		return text(v.String()), nil
	case reflect.Struct:
		return e.fields(v, depth)
	case reflect.Array:
		return e.elements(v, depth)
	case reflect.Interface:
		return e.failure(v)
	}
	return e.reference(v, depth)
}

func float(f float64, bits int) any {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, bits))
}

func text(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]any{"$bytes": base64.StdEncoding.EncodeToString([]byte(s))}
}

func (e *encoder) fields(v reflect.Value, depth int) (any, error) {
	m := map[string]any{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Name == "_" || e.sparse && isNothing(v.Field(i)) {
			continue
		}
		var err error
		if m[f.Name], err = e.value(v.Field(i), depth+1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (e *encoder) elements(v reflect.Value, depth int) (any, error) {
	list := make([]any, v.Len())
	for i := range list {
		var err error
		if list[i], err = e.value(v.Index(i), depth+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// reference encodes a pointer, map or slice. If its referent is reached only once, that is
// encoded in place.
func (e *encoder) reference(v reflect.Value, depth int) (any, error) {
	if v.IsNil() || e.sparse && isNothing(v) {
		return nil, nil
	}
	o, ok := identity(v)
	if !ok || e.count[o] < 2 && depth < inlineDepth {
		return e.referent(v, depth)
	}
	n, known := e.number[o]
	if !known {
		n = len(e.separate)
		e.number[o] = n
		e.separate = append(e.separate, v)
	}
	return map[string]any{"$ref": n}, nil
}

func (e *encoder) referent(v reflect.Value, depth int) (any, error) {
	switch v.Kind() {
	case reflect.Pointer:
		elem, err := e.value(v.Elem(), depth+1)
		if elem == nil || v.Type().Elem().Kind() == reflect.Pointer {
			elem = map[string]any{"$ptr": elem}
		}
		return elem, err
	case reflect.Map:
		return e.entries(v, depth)
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return base64.StdEncoding.EncodeToString(v.Bytes()), nil
	}
	return e.elements(v, depth)
}

func (e *encoder) entries(v reflect.Value, depth int) (any, error) {
	if v.Type().Key().Kind() == reflect.String && !ownForm(v.Type().Key()) && validKeys(v) {
		m := map[string]any{}
		for k, elem := range v.Seq2() {
			name := k.String()
			if strings.HasPrefix(name, "$") {
				name = "$" + name
			}
			var err error
			if m[name], err = e.value(elem, depth+1); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	type pair struct {
		sort string
		both []any
	}
	var pairs []pair
	for k, elem := range v.Seq2() {
		key, err := e.value(k, depth+2)
		if err != nil {
			return nil, err
		}
		val, err := e.value(elem, depth+2)
		if err != nil {
			return nil, err
		}
		sortKey, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{string(sortKey), []any{key, val}})
	}
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].sort < pairs[j].sort })
	list := make([]any, len(pairs))
	for i, p := range pairs {
		list[i] = p.both
	}
	return map[string]any{"$map": list}, nil
}

func validKeys(v reflect.Value) bool {
	for k := range v.Seq() {
		if !utf8.ValidString(k.String()) {
			return false
		}
	}
	return true
}

// failure encodes an error.
func (e *encoder) failure(v reflect.Value) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	err := v.Interface().(error)
	saved := savedError{Text: textOf(err)}
	known := registry.Load()
	for name, value := range known.values {
		if sameError(value, err) {
			saved.Same = name
		}
		if errors.Is(err, value) {
			saved.Is = append(saved.Is, name)
		}
	}
	for name, typ := range known.types {
		found, ok := typ.find(err)
		if !ok {
			continue
		}
		one, failure := encodeAlone(reflect.ValueOf(found).Elem())
		if failure != nil {
			continue // The error's text is kept.
		}
		saved.As = append(saved.As, typedError{name, json.RawMessage(one)})
	}
	slices.Sort(saved.Is)
	slices.SortFunc(saved.As, func(a, b typedError) int { return strings.Compare(a.Name, b.Name) })
	return map[string]any{"$error": saved}, nil
}
