package durable

import (
	"cmp"
	"encoding"
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

// region is memory that a value occupies.
type region struct {
	from, to uintptr
	path     *route
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

	number   map[object]int // of the objects written separately
	separate []reflect.Value
	objects  []any
}

// encodeAll returns the encoded values and the objects that they share.
func encodeAll(list []named) (values map[string]any, objects []any, err error) {
	e := &encoder{count: map[object]int{}, number: map[object]int{}}
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

func errUnsavable(path string, t reflect.Type, why string) error {
	return fmt.Errorf("durable: %s (type %s) cannot be saved: %s", path, t, why)
}

// The first pass.

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
		if f.Name == "_" {
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
	if v.IsNil() {
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

// Types that marshal themselves.

// form is how a type's own methods write and read it.
type form struct {
	write func(reflect.Value) (any, error)
	read  func(reflect.Value, any) error
}

// marshaler returns the form of a type that marshals itself.
func marshaler(t reflect.Type) (form, bool) {
	if !ownForm(t) {
		return form{}, false
	}
	if implements[json.Marshaler](t) && implements[json.Unmarshaler](t) {
		return form{writeJSON, readJSON}, true
	}
	return form{writeText, readText}, true
}

// ownForm reports whether a type marshals itself. Methods promoted from an embedded field would
// lose the other fields of a struct, so such a struct is encoded like any other if possible.
func ownForm(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
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
	return map[string]any{"$json": json.RawMessage(raw)}, err
}

func readJSON(v reflect.Value, from any) error {
	m, ok := from.(map[string]any)
	if !ok {
		return errors.New("durable: it was not saved by the type's own methods")
	}
	raw, err := json.Marshal(m["$json"])
	if err != nil {
		return err
	}
	return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw)
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
