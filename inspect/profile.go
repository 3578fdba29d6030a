package inspect

import (
	"compress/gzip"
	"io"

	"github.com/movenext/movenext/schedulers"
)

// ProfileName is the name of the profile that [WriteProfile] writes.
const ProfileName = "movenext.suspended"

// WriteProfile writes the suspended machines as a profile that go tool pprof reads: the number of
// machines, and the bytes of their frames, by the chain of suspended functions. Each sample has a
// label waits_for. It returns the error of w. It blocks as long as w does, and is safe for
// concurrent use.
//
// The format is profile.proto of github.com/google/pprof, compressed with gzip.
func WriteProfile(w io.Writer) error {
	z := gzip.NewWriter(w)
	if _, err := z.Write(Snapshot().profile()); err != nil {
		return err
	}
	return z.Close()
}

// The numbers of the fields of profile.proto.
const (
	profileSampleType    = 1
	profileSample        = 2
	profileLocation      = 4
	profileFunction      = 5
	profileStringTable   = 6
	profileTimeNanos     = 9
	profilePeriodType    = 11
	profilePeriod        = 12
	profileDefaultSample = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocation = 1
	sampleValue    = 2
	sampleLabel    = 3

	labelKey = 1
	labelStr = 2

	locationID   = 1
	locationLine = 4

	lineFunction = 1
	lineLine     = 2

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFilename   = 4
)

// profileBuilder is a profile in the making.
type profileBuilder struct {
	out       message
	strings   map[string]uint64
	functions map[schedulers.Place]uint64 // by function and file, without line
	locations map[schedulers.Place]uint64
}

// profile returns the report as a profile.
func (r *Report) profile() []byte {
	p := &profileBuilder{
		strings:   map[string]uint64{},
		functions: map[schedulers.Place]uint64{},
		locations: map[schedulers.Place]uint64{},
	}
	p.text("") // the string table begins with ""
	p.out.message(profileSampleType, p.valueType("machines", "count"))
	p.out.message(profileSampleType, p.valueType("frames", "bytes"))
	for i := range r.Groups {
		p.sample(&r.Groups[i])
	}
	p.out.number(profileTimeNanos, uint64(r.Time.UnixNano()))
	p.out.message(profilePeriodType, p.valueType("machines", "count"))
	p.out.number(profilePeriod, 1)
	p.out.number(profileDefaultSample, p.text("machines"))
	return p.out
}

func (p *profileBuilder) valueType(kind, unit string) (m message) {
	m.number(valueTypeType, p.text(kind))
	m.number(valueTypeUnit, p.text(unit))
	return m
}

func (p *profileBuilder) sample(g *Group) {
	var m, locations, values, label message
	for _, f := range g.Stack {
		locations.varint(p.location(f))
	}
	values.varint(uint64(g.Count))
	values.varint(uint64(g.Bytes) * uint64(g.Count))
	label.number(labelKey, p.text("waits_for"))
	label.number(labelStr, p.text(g.Waits))
	m.message(sampleLocation, locations)
	m.message(sampleValue, values)
	m.message(sampleLabel, label)
	p.out.message(profileSample, m)
}

// location returns the ID of a line. It writes the line on the first call.
func (p *profileBuilder) location(place schedulers.Place) uint64 {
	id, ok := p.locations[place]
	if ok {
		return id
	}
	id = uint64(len(p.locations) + 1)
	p.locations[place] = id
	var m, line message
	line.number(lineFunction, p.function(schedulers.Place{Function: place.Function, File: place.File}))
	line.number(lineLine, uint64(place.Line))
	m.number(locationID, id)
	m.message(locationLine, line)
	p.out.message(profileLocation, m)
	return id
}

func (p *profileBuilder) function(f schedulers.Place) uint64 {
	id, ok := p.functions[f]
	if ok {
		return id
	}
	id = uint64(len(p.functions) + 1)
	p.functions[f] = id
	var m message
	m.number(functionID, id)
	m.number(functionName, p.text(f.Function))
	m.number(functionSystemName, p.text(f.Function))
	m.number(functionFilename, p.text(f.File))
	p.out.message(profileFunction, m)
	return id
}

// text returns the number of a string, which go tool pprof prints as it is.
func (p *profileBuilder) text(s string) uint64 {
	s = printed(s)
	n, ok := p.strings[s]
	if !ok {
		n = uint64(len(p.strings))
		p.strings[s] = n
		p.out.message(profileStringTable, message(s))
	}
	return n
}

// message is an encoded message of protocol buffers.
type message []byte

func (m *message) varint(n uint64) {
	for n >= 0x80 {
		*m = append(*m, byte(n)|0x80)
		n >>= 7
	}
	*m = append(*m, byte(n))
}

// number appends a field that is a number.
func (m *message) number(field int, n uint64) {
	m.varint(uint64(field) << 3)
	m.varint(n)
}

// message appends a field that is a message, a string, or a list of numbers.
func (m *message) message(field int, sub message) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(sub)))
	*m = append(*m, sub...)
}
