package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copied returns v after it has been saved and loaded.
func copied[T any](t *testing.T, v T) T {
	t.Helper()
	data, err := encodeAlone(reflect.ValueOf(&v).Elem())
	require.NoError(t, err)
	var back T
	require.NoError(t, decodeAlone(data, reflect.ValueOf(&back).Elem()), "%s", data)
	return back
}

// refused returns the error of saving v.
func refused[T any](v T) error {
	_, err := encodeAlone(reflect.ValueOf(&v).Elem())
	return err
}

type node struct {
	Name string
	Next *node
	All  map[string]*node
}

type stamped struct {
	time.Time
	N int
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	type all struct {
		B  bool
		I  int8
		U  uint64
		F  []float64
		C  complex64
		S  []string
		P  **int
		M  map[string]int
		K  map[[2]int]string
		A  [2][]byte
		T  time.Time
		N  *big.Int
		W  stamped
		E  []error
		PS *[]int
		_  int
	}
	n := 5
	p := &n
	var none []int
	v := all{
		B: true, I: -128, U: math.MaxUint64, F: []float64{math.Inf(-1), 0.1, math.Copysign(0, -1), 1e300},
		C: complex(1, -2), S: []string{"", "\xff<&>", "ä"}, P: &p,
		M: map[string]int{"": 1, "$ref": 2, "$$": 3, "a": 4}, K: map[[2]int]string{{1, 2}: "x", {0, 9}: ""},
		A: [2][]byte{nil, {}}, T: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), N: big.NewInt(7),
		W: stamped{time.Unix(9, 0).UTC(), 8}, E: []error{nil, io.EOF}, PS: &none,
	}
	assert.Equal(t, v, copied(t, v))
	assert.True(t, math.IsNaN(copied(t, math.NaN())))
	assert.True(t, math.Signbit(copied(t, v.F)[2]))
	assert.NotNil(t, copied(t, []int{}))
	assert.Nil(t, copied(t, []int(nil)))
	assert.NotNil(t, copied(t, map[string]int{}))
	assert.JSONEq(t, `{"a":1}`, string(copied(t, json.RawMessage(`{"a":1}`))))
	assert.Nil(t, *copied(t, new(*int)), "a pointer to a nil pointer")
	assert.Nil(t, **copied(t, new(new([]int))), "a pointer to a pointer to a nil slice")
}

func TestWhatIsSharedStaysShared(t *testing.T) {
	a := &node{Name: "a"}
	b := &node{Name: "b", Next: a}
	a.Next = b // a cycle
	a.All = map[string]*node{"a": a, "b": b}
	b.All = a.All
	got := copied(t, []*node{a, b})
	assert.Same(t, got[0], got[1].Next)
	assert.Same(t, got[1], got[0].Next)
	got[0].All["new"] = got[0]
	assert.Same(t, got[0], got[1].All["new"], "the map is one")

	list := []int{1, 2, 3}
	lists := copied(t, [2][]int{list, list})
	lists[0][1] = 7
	assert.Equal(t, 7, lists[1][1], "the slice is one")
}

func TestALongListIsNotDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds under the race detector, and is on one goroutine")
	}
	var head *node
	for i := range 25_000 {
		head = &node{Name: fmt.Sprint(i), Next: head}
	}
	n := 0
	for at := copied(t, head); at != nil; at = at.Next {
		n++
	}
	assert.Equal(t, 25_000, n)
}

func TestWhatCannotBeSavedIsNamed(t *testing.T) {
	type inner struct{ C chan int }
	type hidden struct{ n int }
	list := []int{1, 2, 3}
	x := struct{ A, B int }{}
	for _, c := range []struct {
		err  error
		want string
	}{
		{refused([]inner{{}, {}}), "value[0].C (type chan int) cannot be saved"},
		{refused(map[string]func(){"f": nil}), "value[f] (type func()) cannot be saved"},
		{refused(&hidden{1}), "value.n (type int) cannot be saved: the field is not exported"},
		{refused(struct{ V any }{1}), "value.V (type interface {}) cannot be saved"},
		{refused([2][]int{list, list[1:]}), "value[1] cannot be saved: it overlaps with value[0]"},
		{refused([2][]int{list, list[:2]}), "it overlaps with"},
		{refused(struct {
			P *struct{ A, B int }
			Q *int
		}{&x, &x.B}), "value.Q cannot be saved: it overlaps with value.P"},
	} {
		require.Error(t, c.err)
		assert.Contains(t, c.err.Error(), c.want)
	}
}

type limitError struct{ Limit int }

func (e limitError) Error() string { return fmt.Sprint("over ", e.Limit) }

func TestErrorsKeepTextAndWhatIsRegistered(t *testing.T) {
	RegisterErrorType[limitError]("durable.limitError")
	plain := errors.New("plain")
	err := Normalise(fmt.Errorf("outer: %w and %w and %w", io.ErrUnexpectedEOF, limitError{3}, plain))
	assert.Equal(t, "outer: unexpected EOF and over 3 and plain", err.Error())
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotErrorIs(t, err, plain, "it is not registered")
	require.NotErrorIs(t, err, io.EOF)
	var limit limitError
	require.ErrorAs(t, err, &limit)
	assert.Equal(t, 3, limit.Limit)
	assert.Equal(t, io.EOF, Normalise(io.EOF), "the very value")
	require.NoError(t, Normalise(nil))
	again := Normalise(err)
	require.ErrorIs(t, again, io.ErrUnexpectedEOF, "also after a second time")
	require.ErrorAs(t, again, &limit)
}

func TestADamagedCheckpointIsRefused(t *testing.T) {
	state, err := seal(&checkpoint{Layout: "1", Point: "p", Values: map[string]any{"x": 1}})
	require.NoError(t, err)
	_, err = open(state)
	require.NoError(t, err)
	for i := range state {
		bad := []byte(string(state))
		bad[i] ^= 1
		_, err := open(bad)
		require.ErrorIs(t, err, ErrCorrupt, "byte %d", i)
	}
	_, err = open(state[:len(state)-1])
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = seal(&checkpoint{Point: strings.Repeat("x", MaxCheckpoint)})
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestOnlyTheNewestAnswersAreKept(t *testing.T) {
	doc := new(checkpoint)
	for n := range 3 * maxAnswers {
		a, err := newAnswer(fmt.Sprint(n), 5, nil)
		require.NoError(t, err)
		doc.addAnswers([]answerData{a, a})
	}
	assert.Len(t, doc.Answers, maxAnswers)
	_, ok := doc.findAnswer(fmt.Sprint(3*maxAnswers - 1))
	assert.True(t, ok)
	for n := range 10 {
		a, err := newAnswer(fmt.Sprint("large ", n), strings.Repeat("x", maxAnswerBytes/4), nil)
		require.NoError(t, err)
		doc.addAnswers([]answerData{a})
	}
	assert.Len(t, doc.Answers, 3)
	_, err := newAnswer("k", strings.Repeat("x", maxAnswerBytes), nil)
	require.ErrorIs(t, err, ErrTooLarge)
}

// FuzzDecode runs the decoder on documents that the encoder did not write.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"value":{"Name":"a","Next":{"$ref":0},"All":{"$map":[]}},"objects":[{"Name":"b","Next":null,"All":null}]}`))
	f.Add([]byte(`{"value":{"$ref":0},"objects":[{"$ref":0}]}`))
	f.Add([]byte(`{"value":{"$error":{"text":"x","as":[{"name":"durable.PanicError","value":{"value":null}}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var n *node
		var e error
		var m map[[1]error][]complex64
		for _, ptr := range []any{&n, &e, &m} {
			v := reflect.ValueOf(ptr).Elem()
			if decodeAlone(data, v) != nil {
				continue
			}
			if _, err := encodeAlone(v); err != nil {
				t.Errorf("it was loaded and cannot be saved: %v", err)
			}
		}
	})
}

// A process with another zone, or without the data of zones, loads a time.
func TestATimeIsLoadedElsewhere(t *testing.T) {
	summer := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	read := func(text string) (time.Time, error) {
		var back time.Time
		err := decodeAlone([]byte(`{"value":`+text+`}`), reflect.ValueOf(&back).Elem())
		return back, err
	}
	_, here := summer.In(time.Local).Zone()
	back, err := read(fmt.Sprintf(`{"$json":"2026-07-01T09:00:00Z","$zone":"Local","$offset":%d}`, here+3600))
	require.NoError(t, err)
	_, offset := back.Zone()
	assert.Equal(t, here+3600, offset, "a local time of another zone keeps its offset")
	assert.True(t, summer.Equal(back))
	_, err = read(`{"$json":"2026-07-01T09:00:00Z","$zone":"Nowhere/Here"}`)
	require.ErrorIs(t, err, errZone)
	back, err = read(`{"$json":"2026-07-01T09:00:00+02:00"}`)
	require.NoError(t, err, "of an earlier version")
	assert.Equal(t, 9, back.Hour())
	_, err = read(`{"$json":7}`)
	require.Error(t, err)
}

func TestValuesThatWouldLoseSomethingAreRefused(t *testing.T) {
	require.ErrorContains(t, refused(struct{ F *big.Float }{big.NewFloat(1)}), "F (type big.Float) cannot be saved: it loses its precision")
	require.ErrorContains(t, checkSavableType(reflect.TypeFor[[]big.Float](), "list", map[reflect.Type]bool{}), "loses its precision")
	odd, err := time.LoadLocationFromTZData("Mine/Own", zoneData)
	require.NoError(t, err)
	require.ErrorContains(t, refused(time.Date(2026, 7, 1, 9, 0, 0, 0, odd)), `a time in the zone "Mine/Own" cannot be saved`)
}

// zoneData is a zone with a rule: XYZ is an hour behind UTC, and from March to October it is UTC.
var zoneData = []byte("TZif2" + strings.Repeat("\x00", 39) +
	"TZif2" + strings.Repeat("\x00", 15) + strings.Repeat("\x00", 12) + "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x04" +
	"\xff\xff\xf1\xf0\x00\x00XYZ\x00\nXYZ1XZT,M3.5.0,M10.5.0\n")
