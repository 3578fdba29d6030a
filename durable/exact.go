package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"reflect"
	"sync"
	"time"
)

// # Types whose own form is not exact
//
// What is loaded has to be what was saved. The methods by which some types marshal themselves lose
// something: a time its zone, a message of raw JSON its bytes, an IP address its length. These
// types have forms of ours. A type whose own form cannot be mended is refused, here and by the
// generator.

// asBytes reports whether a type is saved as the bytes that it is, although it marshals itself.
func asBytes(t reflect.Type) bool {
	return t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[net.IP]()
}

// inexact returns why a type is refused although it marshals itself, or "".
func inexact(t reflect.Type) string {
	if t == reflect.TypeFor[big.Float]() {
		return "it loses its precision when it is loaded"
	}
	return ""
}

// isTime reports whether a type is time.Time.
func isTime(t reflect.Type) bool { return t == reflect.TypeFor[time.Time]() }

// savedTime is the form of a time that is not in UTC. Those in UTC have only the first part.
type savedTime struct {
	Time   json.RawMessage `json:"$json"` // in UTC
	Zone   string          `json:"$zone"`
	Offset *int            `json:"$offset,omitempty"` // of a zone that has only one, and of Local
}

// local is the name of the zone of the process. Another process may have another one.
const local = "Local"

// writeTime encodes a time with its zone. The reading of the monotonic clock is not kept.
func writeTime(v reflect.Value) (any, error) {
	t := v.Interface().(time.Time)
	raw, err := t.UTC().MarshalJSON()
	if err != nil || t.Location() == time.UTC {
		return map[string]any{"$json": json.RawMessage(raw)}, err
	}
	saved := savedTime{Time: raw, Zone: t.Location().String()}
	_, offset := t.Zone()
	from, to := t.ZoneBounds()
	switch {
	case t.Location() == time.Local:
		saved.Zone, saved.Offset = local, &offset
	case isZoneOf(t, saved.Zone):
	case from.IsZero() && to.IsZero():
		saved.Offset = &offset
	default:
		return nil, fmt.Errorf("durable: a time in the zone %q cannot be saved: no such zone can be loaded by its name", saved.Zone)
	}
	return saved, nil
}

// isZoneOf reports whether the zone that is loaded by a name is the zone of a time. A fixed zone
// may have the name of one with summer times; so the bounds count too.
func isZoneOf(t time.Time, name string) bool {
	zone, err := zoneNamed(name)
	if err != nil {
		return false
	}
	there := t.In(zone)
	from, to := t.ZoneBounds()
	thereFrom, thereTo := there.ZoneBounds()
	const all = time.RFC3339Nano + " MST"
	return there.Format(all) == t.Format(all) && from.Equal(thereFrom) && to.Equal(thereTo)
}

// readTime decodes a time. Times of earlier versions of this package have their offset instead of
// a zone.
func readTime(v reflect.Value, from any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	var saved savedTime
	if err := json.Unmarshal(raw, &saved); err != nil {
		return mismatch(v, from)
	}
	var t time.Time
	if err := t.UnmarshalJSON(saved.Time); err != nil {
		return err
	}
	if saved.Zone == "" && saved.Offset == nil {
		v.Set(reflect.ValueOf(t))
		return nil
	}
	zone, err := saved.zone(t)
	if err != nil {
		return err
	}
	v.Set(reflect.ValueOf(t.In(zone)))
	return nil
}

// zone returns the zone of a saved time. A local time of a process with another zone keeps its
// offset.
func (s savedTime) zone(t time.Time) (*time.Location, error) {
	if s.Offset == nil {
		return zoneNamed(s.Zone)
	}
	if _, here := t.In(time.Local).Zone(); s.Zone == local && here == *s.Offset {
		return time.Local, nil
	}
	name := s.Zone
	if name == local {
		name = ""
	}
	fixed, _ := zones.LoadOrStore(fixedZone{name, *s.Offset}, time.FixedZone(name, *s.Offset))
	return fixed.(*time.Location), nil
}

// zones holds the zones that have been loaded, by name, or by fixedZone. Two times in one zone
// have to be equal keys of a map, so each zone is loaded once.
var zones sync.Map

type fixedZone struct {
	name   string
	offset int
}

// errZone is wrapped by the error for a zone that this process does not have.
var errZone = errors.New("durable: the zone of a time is unknown here: import time/tzdata")

func zoneNamed(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	loaded, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errZone, err)
	}
	known, _ := zones.LoadOrStore(name, loaded)
	return known.(*time.Location), nil
}

// isPlainJSON reports whether a text comes back as it is when it is saved as JSON: a type may
// depend on the order of its keys, on spaces, or on how a number is written.
func isPlainJSON(raw []byte) bool {
	var v any
	if parse(raw, &v) != nil {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && bytes.Equal(again, raw)
}
