package durable

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type link struct{ N *link }

// TestAForgedDepthIsRefused decodes objects that nest: as deep as some that were saved can be, and
// so deep that a decoder without a bound exhausts its stack.
func TestAForgedDepthIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes gigabytes under the race detector, and is on one goroutine")
	}
	for _, c := range []struct {
		depth int
		err   string
	}{{50_000, ""}, {maxDepth - 2, ""}, {1_700_000, fmt.Sprint("nest deeper than ", maxDepth)}} {
		objects := make([]any, c.depth+1)
		ref := func(n int) any { return map[string]any{"$ref": json.Number(fmt.Sprint(n))} }
		for n := range c.depth {
			objects[n] = map[string]any{"N": ref(n + 1)}
		}
		objects[c.depth] = map[string]any{"N": nil}
		var first *link
		err := decodeAll(map[string]any{"first": ref(0)}, objects, []named{{"first", reflect.ValueOf(&first).Elem()}})
		if c.err != "" {
			if assert.Error(t, err) {
				assert.Contains(t, err.Error()[max(0, len(err.Error())-200):], c.err)
				assert.Less(t, len(err.Error()), 10_000, "the error does not repeat each level")
			}
			continue
		}
		assert.NoError(t, err)
		n := 0
		for at := first; at != nil; at = at.N {
			n++
		}
		assert.Equal(t, c.depth+1, n)
	}
}

// TestAForgedSizeIsRefused decodes a message that is larger than any that was sent.
func TestAForgedSizeIsRefused(t *testing.T) {
	forged := []byte(`{"value":[` + strings.Repeat("{},", 15_000_000) + `{}]}`)
	_, err := DecodeSignal[[]struct{}](forged)
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorIs(t, err, ErrUnreadable)
	require.ErrorIs(t, parse(forged, new(childOutcome)), ErrTooLarge)
	largest, err := EncodeSignal(strings.Repeat("x", MaxCheckpoint-len(`{"value":""}`)))
	require.NoError(t, err)
	asked, err := encodeAsked(strings.Repeat("k", MaxText), strings.Repeat("x", MaxCheckpoint-len(`{"value":""}`)))
	require.NoError(t, err)
	for _, data := range [][]byte{largest, asked} {
		require.NoError(t, parse(data, new(document)), "what can be sent can be read")
	}
}

// TestForgedChildrenAreRefused reads points that are small and stand for very many children.
func TestForgedChildrenAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector, and is on one goroutine")
	}
	compressed := func(text string) []byte {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	for _, c := range []struct {
		count  int
		begins string
		err    string
	}{
		{maxChildren, "[" + strings.Repeat("1,", maxChildren-1) + "1]", ""},
		{maxChildren + 1, "[]", "more than"},
		{-1, "[]", "more than"},
		{2, "[" + strings.Repeat("1,", 30_000_000) + "1]", "more beginnings"},
		{3, "[1,2]", "child 2 of 3"},
		{1, strings.Repeat("[", 10_000_000), "child 0 of 1"},
		{1, `["` + strings.Repeat("x", maxBegins) + `"]`, "child 0 of 1"},
	} {
		data, err := json.Marshal(savedChildren{Calls: []savedCalls{{Function: "f", Count: c.count}}, Begins: compressed(c.begins)})
		require.NoError(t, err)
		err = new(childrenState).UnmarshalJSON(data)
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
	many := &childrenState{Children: make([]childData, maxChildren+1)}
	require.ErrorIs(t, many.checkSize(), ErrTooLarge)
	large := &childrenState{Children: []childData{{Begin: make([]byte, MaxCheckpoint)}}}
	require.ErrorIs(t, large.checkSize(), ErrTooLarge)
}

// outerError is an error that has another one.
type outerError struct{ Inner error }

func (e outerError) Error() string { return "outer" }

// TestForgedErrorsAreRefused decodes errors in errors: each level would be a document of its own.
func TestForgedErrorsAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute under the race detector, and is on one goroutine")
	}
	RegisterErrorType[outerError]("durable.outerError")
	nested := func(depth int) []byte {
		text := `null`
		for range depth {
			text = `{"$error":{"text":"outer","as":[{"name":"durable.outerError","value":{"value":{"Inner":` + text + `}}}]}}`
		}
		return []byte(`{"value":` + text + `}`)
	}
	var err error
	require.NoError(t, decodeAlone(nested(maxErrors), valueOf(&err)))
	require.ErrorContains(t, decodeAlone(nested(500), valueOf(&err)), "nest deeper")
}
