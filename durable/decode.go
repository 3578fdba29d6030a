package durable

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decoder reads the values of one document. The document may be damaged or forged, so each step
// checks its input.
type decoder struct {
	objects []any
	known   map[int]reflect.Value // by number
	depth   int                   // of objects in objects
	errors  int                   // of errors in errors
}

// maxErrors bounds how deep errors nest: each level is decoded as a document of its own.
const maxErrors = 100

// maxDocument bounds what is decoded, in bytes: what exceeds it has been forged. It bounds the
// number of values, too. A message may have a little more than its value, which is at most
// MaxCheckpoint.
const maxDocument = MaxCheckpoint + 64<<10

// maxDepth exceeds the depth of the objects of a document, since each has a reference to the next
// one. On a 32-bit system the stack has no room for three times as many.
const maxDepth = maxDocument / len(`{"$ref":1},`)

// parse reads JSON and keeps numbers as they are written.
func parse(data []byte, into any) error {
	if len(data) > maxDocument {
		return fmt.Errorf("%w: the document has %d", ErrTooLarge, len(data))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("durable: there is text behind the document")
	}
	return nil
}

// decodeAlone reads a document with one value.
func decodeAlone(data []byte, v reflect.Value) error { return decodeWithin(0, data, v) }

// decodeWithin reads a document inside so many errors.
func decodeWithin(errors int, data []byte, v reflect.Value) error {
	var doc document
	if err := parse(data, &doc); err != nil {
		return err
	}
	d := &decoder{objects: doc.Objects, known: map[int]reflect.Value{}, errors: errors}
	return d.all(map[string]any{"value": doc.Value}, []named{{"value", v}})
}

// decodeAll fills variables from the values with their names. All of them must exist.
func decodeAll(values map[string]any, objects []any, list []named) error {
	return (&decoder{objects: objects, known: map[int]reflect.Value{}}).all(values, list)
}

func (d *decoder) all(values map[string]any, list []named) error {
	for _, n := range list {
		from, ok := values[n.name]
		if !ok {
			return fmt.Errorf("durable: %s has not been saved", n.name)
		}
		if err := d.value(n.v, from); err != nil {
			return fmt.Errorf("durable: %s (type %s) cannot be loaded: %w", n.name, n.v.Type(), err)
		}
	}
	return nil
}

func mismatch(v reflect.Value, from any) error {
	return fmt.Errorf("%T does not fit %s", from, v.Type())
}

// value fills v, which is settable.
func (d *decoder) value(v reflect.Value, from any) error {
	if m, ok := marshaler(v.Type()); ok {
		return m.read(v, from)
	}
	switch v.Kind() {
	case reflect.Bool:
		b, ok := from.(bool)
		if !ok {
			return mismatch(v, from)
		}
		v.SetBool(b)
		return nil
	case reflect.String:
		s, err := readString(from)
		v.SetString(s)
		return err
	case reflect.Struct:
		return d.fields(v, from)
	case reflect.Array:
		list, ok := from.([]any)
		if !ok || len(list) != v.Len() {
			return mismatch(v, from)
		}
		return d.elements(v, list)
	case reflect.Interface:
		return d.readError(v, from)
	case reflect.Complex64, reflect.Complex128:
		return readComplex(v, from)
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return d.reference(v, from)
	}
	return readNumber(v, from)
}

func readNumber(v reflect.Value, from any) error {
	var s string
	switch from := from.(type) {
	case json.Number:
		s = from.String()
	case string:
		s = from // NaN, Inf, -0
	default:
		return mismatch(v, from)
	}
	bits := v.Type().Bits()
	switch {
	case v.CanInt():
		n, err := strconv.ParseInt(s, 10, bits)
		v.SetInt(n)
		return err
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		n, err := strconv.ParseUint(s, 10, bits)
		v.SetUint(n)
		return err
	case v.CanFloat():
		f, err := strconv.ParseFloat(s, bits)
		v.SetFloat(f)
		return err
	}
	return mismatch(v, from)
}

func readComplex(v reflect.Value, from any) error {
	list, ok := from.([]any)
	if !ok || len(list) != 2 {
		return mismatch(v, from)
	}
	var parts [2]float64
	for i, part := range list {
		if err := readNumber(reflect.ValueOf(&parts[i]).Elem(), part); err != nil {
			return err
		}
	}
	v.SetComplex(complex(parts[0], parts[1]))
	return nil
}

func readString(from any) (string, error) {
	switch from := from.(type) {
	case string:
		return from, nil
	case map[string]any:
		if s, ok := from["$bytes"].(string); ok {
			b, err := base64.StdEncoding.DecodeString(s)
			return string(b), err
		}
	}
	return "", fmt.Errorf("%T is not a string", from)
}

func (d *decoder) fields(v reflect.Value, from any) error {
	m, ok := from.(map[string]any)
	if !ok {
		return mismatch(v, from)
	}
	missing, used := "", 0
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Name == "_" {
			continue
		}
		field, ok := m[f.Name]
		switch {
		case !f.IsExported():
			return fmt.Errorf("field %s is not exported", f.Name)
		case !ok:
			missing = f.Name
			v.Field(i).SetZero()
			continue
		}
		used++
		if err := d.value(v.Field(i), field); err != nil {
			return d.locate(err, f.Name)
		}
	}
	if missing != "" && used < len(m) {
		return renamed(v.Type(), m, missing)
	}
	return nil
}

// locate adds a place to an error, near the root. Text that grows at each level of a long list
// would have quadratic size.
func (d *decoder) locate(err error, place string) error {
	if d.depth > inlineDepth {
		return err
	}
	return fmt.Errorf("%s: %w", place, err)
}

// renamed returns the error for a struct that lacks a field and has another one. Either alone is
// fine: the type has gained a field, whose value is zero, or was saved by a version that has one
// more. Both together look like a field with a new name, whose value must not be lost.
func renamed(t reflect.Type, saved map[string]any, missing string) error {
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if f, ok := t.FieldByName(name); !ok || len(f.Index) > 1 {
			return fmt.Errorf("field %s is missing, and %s is unknown", missing, name)
		}
	}
	return nil
}

func (d *decoder) elements(v reflect.Value, list []any) error {
	for i, elem := range list {
		if err := d.value(v.Index(i), elem); err != nil {
			return d.locate(err, fmt.Sprintf("[%d]", i))
		}
	}
	return nil
}

// reference makes a pointer, map or slice, or reuses the one that it shares.
func (d *decoder) reference(v reflect.Value, from any) error {
	if from == nil {
		v.SetZero()
		return nil
	}
	n, ok := refOf(from)
	if !ok {
		return d.referent(v, from, func(reflect.Value) {})
	}
	if made, ok := d.known[n]; ok {
		if made.Type() != v.Type() {
			return mismatch(v, from)
		}
		v.Set(made)
		return nil
	}
	if n < 0 || n >= len(d.objects) {
		return fmt.Errorf("there is no object %d", n)
	}
	return d.referent(v, d.objects[n], func(made reflect.Value) { d.known[n] = made })
}

// refOf returns the number of an object that is written separately.
func refOf(from any) (int, bool) {
	m, ok := from.(map[string]any)
	if !ok || len(m) != 1 {
		return 0, false
	}
	number, ok := m["$ref"].(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(number.String())
	return n, err == nil
}

// referent makes a new object. It calls remember before it fills the object, since the object may
// refer to itself.
func (d *decoder) referent(v reflect.Value, from any, remember func(reflect.Value)) error {
	// No panic reports an exhausted stack: the process would end, and the next worker that reads
	// the same message, too.
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("the objects nest deeper than %d", maxDepth)
	}
	defer func() { d.depth-- }()
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem()).Convert(v.Type())
		v.Set(p)
		remember(p)
		if m, ok := from.(map[string]any); ok && len(m) == 1 {
			if elem, ok := m["$ptr"]; ok {
				from = elem
			}
		}
		return d.value(p.Elem(), from)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		v.Set(m)
		remember(m)
		return d.entries(m, from)
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return readBytes(v, from, remember)
	}
	list, ok := from.([]any)
	if !ok {
		return mismatch(v, from)
	}
	s := reflect.MakeSlice(v.Type(), len(list), len(list))
	v.Set(s)
	remember(s)
	return d.elements(s, list)
}

func readBytes(v reflect.Value, from any, remember func(reflect.Value)) error {
	s, ok := from.(string)
	if !ok && asBytes(v.Type()) { // saved by an earlier version of this package
		return readJSON(v, from)
	}
	if !ok {
		return mismatch(v, from)
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if ip := net.ParseIP(s); err != nil && ip != nil && v.Type() == reflect.TypeFor[net.IP]() {
		b, err = ip, nil // likewise
	}
	if err != nil {
		return err
	}
	list := reflect.MakeSlice(v.Type(), len(b), len(b))
	reflect.Copy(list, reflect.ValueOf(b).Convert(v.Type()))
	v.Set(list)
	remember(list)
	return nil
}

func (d *decoder) entries(v reflect.Value, from any) error {
	m, ok := from.(map[string]any)
	if !ok {
		return mismatch(v, from)
	}
	if list, ok := m["$map"].([]any); ok && len(m) == 1 {
		for _, pair := range list {
			both, ok := pair.([]any)
			if !ok || len(both) != 2 {
				return mismatch(v, pair)
			}
			if err := d.entry(v, both[0], both[1]); err != nil {
				return err
			}
		}
		return nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return mismatch(v, from)
	}
	for name, elem := range m {
		if err := d.entry(v, strings.TrimPrefix(name, "$"), elem); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) entry(v reflect.Value, key, elem any) error {
	k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	if err := d.value(k, key); err != nil {
		return fmt.Errorf("a key: %w", err)
	}
	if err := d.value(e, elem); err != nil {
		return d.locate(err, fmt.Sprintf("[%v]", key))
	}
	if !k.Comparable() {
		return mismatch(k, key)
	}
	v.SetMapIndex(k, e)
	return nil
}

// readError decodes an error.
func (d *decoder) readError(v reflect.Value, from any) error {
	switch {
	case !isError(v.Type()):
		return mismatch(v, from)
	case from == nil:
		v.SetZero()
		return nil
	case d.errors >= maxErrors:
		return fmt.Errorf("the errors nest deeper than %d", maxErrors)
	}
	m, _ := from.(map[string]any)
	raw, err := json.Marshal(m["$error"])
	if err != nil || m["$error"] == nil {
		return mismatch(v, from)
	}
	var saved savedError
	if err := parse(raw, &saved); err != nil {
		return err
	}
	known := registry.Load()
	if value := known.values[saved.Same]; value != nil {
		v.Set(reflect.ValueOf(value))
		return nil
	}
	e := &StepError{text: saved.Text, identities: map[string]bool{}}
	for _, name := range saved.Is {
		e.identities[name] = true
	}
	for _, as := range saved.As {
		typ, ok := known.types[as.Name]
		if !ok {
			continue // The name is no longer registered; the text remains.
		}
		raw, err := json.Marshal(as.Value)
		if err != nil {
			return err
		}
		one := reflect.New(typ.typ).Elem()
		if err := decodeWithin(d.errors+1, raw, one); err != nil {
			return err
		}
		e.typed = append(e.typed, one)
	}
	v.Set(reflect.ValueOf(e))
	return nil
}
