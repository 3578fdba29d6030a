// Package record records what machines do, step by step. Programs do not call it by
// hand: `movenext explain` generates machines that do, in a separate build which it runs
// once. No other build contains this package.
//
// A recording is a file with one [Step] per line, as JSON, in the order in which they
// happened. The numbers of the machines distinguish machines that run at the same time.
package record

import (
	"encoding/json"
	"io"
	"path"
	"reflect"
	"strconv"
	"sync"
)

// Event is what a machine does in a step.
type Event string

// The events.
const (
	Start   Event = "start"   // MoveNext is called for the first time
	Resume  Event = "resume"  // MoveNext is called after a suspension
	Line    Event = "line"    // a statement is about to be executed
	Suspend Event = "suspend" // MoveNext is about to return false
	Finish  Event = "finish"  // MoveNext is about to return true
)

// Step is one line of a recording.
type Step struct {
	Machine  int64   // numbered from 1 in the order of their starts
	Function string  // as the runtime names it
	Event    Event   //
	State    int32   // Resume, Suspend: the suspension point; Line: the last one
	Line     int     // of the source; 0 where the event is not about one
	Locals   []Local // the fields of the frame
}

// Local is a field of the frame and its value.
type Local struct{ Name, Value string }

// log is the destination of steps, with the last number given to a machine.
var log struct {
	sync.Mutex
	to      *json.Encoder
	started int64
}

// To makes all machines of the program write their steps to w from now on; a nil w ends
// the recording. Writes are serialized. Numbers begin at 1 again, so To is called before
// the first machine starts. An error of w is not reported: the recording ends early.
func To(w io.Writer) {
	log.Lock()
	defer log.Unlock()
	log.to, log.started = nil, 0
	if w != nil {
		log.to = json.NewEncoder(w)
	}
}

// Steps records the steps of a machine. It is a field of the frame and is copied with
// it. The zero value belongs to a machine that has not started. Like its frame, it is
// used by one goroutine at a time.
type Steps struct {
	machine  int64
	function string
	state    int32
}

// Begin records that MoveNext of the frame is called, in state.
func (s *Steps) Begin(frame any, function string, state int32) {
	event := Resume
	if s.machine == 0 {
		log.Lock()
		log.started++
		s.machine = log.started
		log.Unlock()
		event = Start
	}
	s.function, s.state = function, state
	s.write(frame, event, 0)
}

// Line records that a statement of the source is about to be executed.
func (s *Steps) Line(frame any, line int) { s.write(frame, Line, line) }

// Suspend records that the machine suspends at a point.
func (s *Steps) Suspend(frame any, point int32) {
	s.state = point
	s.write(frame, Suspend, 0)
}

// Finish records that the function returns.
func (s *Steps) Finish(frame any) { s.write(frame, Finish, 0) }

func (s *Steps) write(frame any, event Event, line int) {
	step := Step{Machine: s.machine, Function: s.function, Event: event, State: s.state, Line: line, Locals: locals(frame)}
	log.Lock()
	defer log.Unlock()
	if log.to != nil && log.to.Encode(step) != nil {
		log.to = nil
	}
}

// locals returns the fields of the frame that frame points to, except for those of the runtime.
func locals(frame any) []Local {
	v := reflect.ValueOf(frame).Elem()
	own := reflect.TypeFor[Steps]().PkgPath()
	var list []Local
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous || field.Type.PkgPath() == own || field.Type.PkgPath() == path.Dir(own) {
			continue // the frame's head, the deferred calls, the steps
		}
		list = append(list, Local{field.Name, show(v.Field(i))})
	}
	return list
}

// longest is the number of characters of a string that are shown.
const longest = 40

// show describes a value without calling any method of it: recording must not change
// what the program does.
func show(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return showString(v.String())
	case reflect.Slice, reflect.Map, reflect.Chan:
		if v.IsNil() {
			return "nil"
		}
		return v.Type().String() + ", " + strconv.Itoa(v.Len()) + " long"
	case reflect.Pointer:
		if e := v.Elem(); e.IsValid() && (e.Kind() <= reflect.Float64 || e.Kind() == reflect.String) {
			return "→ " + show(e) // a variable with a cell
		}
	case reflect.Interface:
		if !v.IsNil() {
			return v.Elem().Type().String()
		}
	}
	if isNil(v) {
		return "nil"
	}
	return v.Type().String()
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func showString(s string) string {
	if runes := []rune(s); len(runes) > longest {
		return strconv.Quote(string(runes[:longest])) + "…"
	}
	return strconv.Quote(s)
}
