package durabletest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the zoo, on every system

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

// ordered marshals itself as JSON whose text matters: the order of keys, spaces, numbers.
type ordered struct{ text string }

func (o ordered) MarshalJSON() ([]byte, error) { return []byte(o.text), nil }

func (o *ordered) UnmarshalJSON(data []byte) error {
	o.text = string(data)
	return nil
}

// shout marshals itself as text.
type shout struct{ text string }

func (s shout) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(s.text)), nil }

func (s *shout) UnmarshalText(data []byte) error {
	s.text = strings.ToLower(string(data))
	return nil
}

type stamp struct {
	time.Time
	N int
}

type level int8

// zoo has a value of each kind that can be saved, and those whose own form loses something.
type zoo struct {
	Bool                              bool
	Ints                              [5]int64
	Small                             level
	Uint                              uint64
	Floats                            []float64
	Single                            []float32
	Complex                           complex128
	Text, Binary, Markup              string
	NilBytes, EmptyBytes, Bytes       []byte
	NilList, EmptyList                []string
	NilMap, EmptyMap                  map[string]int
	Map                               map[string][]int
	Keys                              map[[2]int]*int
	ByTime                            map[time.Time]string
	Nested                            map[string]map[int]struct{ A, B string }
	Pointer                           **int
	Same, Other                       *stamp
	Ring                              *ledger
	Any                               error
	Known                             error
	UTC, Summer, Fixed, Like, Local   time.Time
	Never                             time.Time
	Embedded                          stamp
	Duration                          time.Duration
	Raw, NilRaw, SpacedRaw, MarkedRaw json.RawMessage
	Number                            json.Number
	Ordered                           []ordered
	Shout                             map[shout]shout
	Int                               *big.Int
	Rat                               *big.Rat
	Short, Long, NoIP                 net.IP
	Mask                              net.IPMask
	Addr                              netip.AddrPort
	Query                             url.Values
	Blank                             struct {
		_ int
		A [0]int
	}
}

// newZoo returns the zoo. Its first summer time is the last day before the change of clocks.
func newZoo() zoo {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	seven := 7
	p := &seven
	z := zoo{
		Bool: true, Ints: [5]int64{math.MinInt64, math.MaxInt64, 1 << 53, 1<<53 + 1, -1}, Small: -128, Uint: math.MaxUint64,
		Floats:  []float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1), 0.1, math.SmallestNonzeroFloat64, 1e21},
		Single:  []float32{0.1, math.MaxFloat32, float32(math.Inf(1))},
		Complex: complex(math.Copysign(0, -1), math.NaN()),
		Text:    "naïve \u2028 \x00", Binary: "\xff\xfe", Markup: "<a href=\"&\">",
		EmptyBytes: []byte{}, Bytes: []byte{0, 255}, EmptyList: []string{}, EmptyMap: map[string]int{},
		Map: map[string][]int{"$ref": {1}, "": nil, "\xff": {}}, Keys: map[[2]int]*int{{1, 2}: p, {2, 1}: p},
		Nested:  map[string]map[int]struct{ A, B string }{"x": {1: {"a", "b"}}},
		Pointer: &p, Any: fmt.Errorf("any: %w", fs.ErrNotExist), Known: errOdd,
		UTC:    time.Date(2026, 3, 28, 9, 0, 0, 1, time.UTC),
		Summer: time.Date(2026, 3, 28, 9, 0, 0, 0, berlin), Fixed: time.Date(2026, 3, 28, 9, 0, 0, 0, time.FixedZone("odd", 3601)),
		Like:  time.Date(2026, 3, 28, 9, 0, 0, 0, time.FixedZone("CET", 3600)),
		Local: time.Date(2026, 3, 28, 9, 0, 0, 0, time.Local), Duration: math.MinInt64,
		Raw:       json.RawMessage(`{"b":1,"a":[1.0,1e2,"\u003c"]}`),
		SpacedRaw: json.RawMessage("{ \"b\" :\n1 }"), MarkedRaw: json.RawMessage(`"<&>"`), Number: "1.50",
		Ordered: []ordered{{`{"b":1,"a":2}`}, {`1.0`}, {`"<"`}, {`{"a":1}`}}, Shout: map[shout]shout{{"a"}: {"b"}},
		Int: new(big.Int).Lsh(big.NewInt(-3), 200), Rat: big.NewRat(-1, 3),
		Short: net.IP{10, 0, 0, 1}, Long: net.ParseIP("10.0.0.1"), Mask: net.CIDRMask(20, 32),
		Addr: netip.MustParseAddrPort("[fe80::1%eth0]:80"), Query: url.Values{"q": {"", "a b"}},
	}
	z.Embedded = stamp{z.Summer, 3}
	z.Same = &stamp{z.Fixed, 1}
	z.Other = z.Same
	z.Ring = &ledger{Sum: 1}
	z.Ring.Next = z.Ring
	z.ByTime = map[time.Time]string{z.Summer: "summer", z.Fixed: "fixed", z.UTC: "utc", z.Local: "local", z.Never: "never"}
	return z
}

// describe tells everything about a zoo that a program can see.
func (z *zoo) describe() string {
	var b bytes.Buffer
	for i := range reflect.TypeFor[zoo]().NumField() {
		f := reflect.ValueOf(z).Elem().Field(i)
		name := reflect.TypeFor[zoo]().Field(i).Name
		if name == "Ring" || name == "Keys" || name == "Pointer" || name == "ByTime" {
			continue // their addresses differ
		}
		fmt.Fprintf(&b, "%s %v %#v\n", name, f, texts(f.Interface()))
	}
	fmt.Fprintln(&b, z.Same == z.Other, z.Ring.Next == z.Ring, z.Ring.Sum, z.Keys[[2]int{1, 2}] == z.Keys[[2]int{2, 1}], **z.Pointer)
	fmt.Fprintln(&b, errors.Is(z.Any, fs.ErrNotExist), errors.Is(z.Known, errOdd), math.Signbit(z.Floats[2]), math.Signbit(real(z.Complex)))
	for _, t := range []time.Time{z.UTC, z.Summer, z.Fixed, z.Like, z.Local, z.Never, z.Embedded.Time, z.Same.Time} {
		zone, offset := t.Zone()
		fmt.Fprintln(&b, t, t.Location(), zone, offset, t.AddDate(0, 0, 1), t.AddDate(0, 3, 0), z.ByTime[t])
	}
	fmt.Fprintln(&b, len(z.Short), len(z.Long), z.NoIP == nil, z.NilBytes == nil, z.EmptyBytes == nil, z.NilRaw == nil, z.NilList == nil, z.EmptyList == nil, z.NilMap == nil, z.EmptyMap == nil)
	fmt.Fprintln(&b, slices.Sorted(maps.Keys(z.Map)), z.Map["\xff"] == nil, z.Map[""] == nil)
	return b.String()
}

// texts returns values whose text has no addresses.
func texts(v any) any {
	switch v := v.(type) {
	case *big.Int, *big.Rat, *stamp, time.Time, stamp, error:
		return fmt.Sprint(v)
	}
	return v
}

// keep has the zoo in a variable, in the arguments and the result of a step, and in a signal.
//
//movenext:durable name=durabletest.zoo
func (c *clerk) keep(ctx context.Context, asked zoo) (string, error) {
	z := newZoo()
	before := z.describe() + asked.describe()
	fed, err := c.feed(ctx, z)
	if err != nil {
		return "", err
	}
	sent, err := durable.Receive[zoo](ctx, "zoo", time.Hour)
	if err != nil {
		return "", err
	}
	if _, err = c.double(ctx, 1); err != nil {
		return "", err
	}
	after := z.describe() + asked.describe()
	same := before == after && fed.describe() == sent.describe() && fed.describe()+asked.describe() == after
	return fmt.Sprint(same, "\n", before, after), nil
}

//movenext:step
func (c *clerk) feed(_ context.Context, z zoo) (zoo, error) { return z, nil }

// TestValuesOfEveryKindSurviveEveryCrash compares them by all that a program can see.
func TestValuesOfEveryKindSurviveEveryCrash(t *testing.T) {
	assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, durabletest.Case[*clerk, zoo, string]{
		Function: keepDurable, Plain: (*clerk).keep, Receiver: func() *clerk { return &clerk{} },
		Request: newZoo(), Signals: []durabletest.Signal{{Name: "zoo", Value: newZoo()}},
		Equal: func(a, b durabletest.Outcome[string]) bool {
			return a.Err == nil && b.Err == nil && a.Result == b.Result && strings.HasPrefix(a.Result, "true")
		},
	}), 10)
}
