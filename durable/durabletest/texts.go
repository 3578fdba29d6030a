package durabletest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// longTexts are texts that every store keeps.
var longTexts = []string{
	strings.Repeat("x", durable.MaxText), strings.Repeat("ü", durable.MaxText/2), strings.Repeat("\x01", durable.MaxText),
	"a.b *>\r\n\t'\"\\%_\x7f\u2028\U0001F600", "=", " ", "$", "/../",
}

// keptTexts checks that a store keeps every text that an engine may pass to it.
func keptTexts(t *testing.T, s stores.Store) {
	for _, text := range longTexts {
		r := record(text)
		r.Function, r.Step, r.Layout, r.Due = text, text, text, timeAt(5)
		r.Labels = map[string]string{text: text, "": ""}
		write(t, s, r)
		got, err := s.Load(t.Context(), text)
		require.NoError(t, err)
		assert.Empty(t, differences(r, got))
		const prefix = "a key of an engine: "
		for range 2 {
			require.NoError(t, s.Send(t.Context(), text, stores.Message{Name: text, Key: prefix + text, Sent: timeAt(3)}))
		}
		list, err := s.Inbox(t.Context(), text, 0)
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, [2]string{text, prefix + text}, [2]string{list[0].Name, list[0].Key})
		all, err := s.List(t.Context(), durable.Filter{Function: text, Labels: map[string]string{text: text}})
		require.NoError(t, err)
		assert.Len(t, all, 1)
		due, _, err := s.Take(t.Context(), stores.Taking{
			Now: timeAt(5), Hide: time.Second, Functions: []string{text}, Steps: []string{text}, Layouts: []string{text}, Limit: 9,
		})
		require.NoError(t, err)
		assert.Equal(t, []string{text}, ids(due))
	}
}

// badTexts are texts that not every store can keep.
var badTexts = []string{"\xff", "a\x00b", "\xed\xa0\x80", strings.Repeat("x", 10_000)}

// otherTexts checks that a store either keeps a text as it is, or says that it never can.
func otherTexts(t *testing.T, s stores.Store) {
	write(t, s, record("a"))
	for _, text := range badTexts {
		for _, set := range []func(*stores.Record){
			func(r *stores.Record) { r.ID = text },
			func(r *stores.Record) { r.Function = text },
			func(r *stores.Record) { r.Step = text },
			func(r *stores.Record) { r.Layout = text },
		} {
			r := record("b")
			set(r)
			if _, err := s.Swap(t.Context(), r); err != nil {
				require.ErrorIs(t, err, durable.ErrUnstorable, "%.20q", text)
				continue
			}
			got, err := s.Load(t.Context(), r.ID)
			require.NoError(t, err)
			assert.Empty(t, differences(r, got))
			got.Status, got.Updated = durable.Completed, timeAt(1)
			write(t, s, got)
			_, err = s.Purge(t.Context(), timeAt(100), 10)
			require.NoError(t, err)
		}
		for _, m := range []stores.Message{{Name: text}, {Name: "m", Key: text}} {
			before, err := s.Inbox(t.Context(), "a", 0)
			require.NoError(t, err)
			m.Sent = timeAt(3)
			if err := s.Send(t.Context(), "a", m); err != nil {
				require.ErrorIs(t, err, durable.ErrUnstorable, "%.20q", text)
				continue
			}
			list, err := s.Inbox(t.Context(), "a", 0)
			require.NoError(t, err)
			require.Len(t, list, len(before)+1)
			assert.Equal(t, [2]string{m.Name, m.Key}, [2]string{list[len(before)].Name, list[len(before)].Key})
		}
	}
}

// refusedTexts checks that an engine refuses texts alike on every store, before the store does.
func refusedTexts(t *testing.T, s stores.Store) {
	e := quiet(t, s)
	served := durable.Serve(e, tallyDurable, struct{}{})
	most := strings.Repeat("ü", durable.MaxText/2)
	h, err := served.Start(t.Context(), most, 1, durable.Labels(map[string]string{most: most}))
	require.NoError(t, err)
	for _, text := range append([]string{most + "x"}, badTexts...) {
		_, err := served.Start(t.Context(), text, 1)
		require.ErrorIs(t, err, durable.ErrUnstorable)
		for _, labels := range []map[string]string{{"a": text}, {text: "a"}} {
			_, err = served.Start(t.Context(), "b", 1, durable.Labels(labels))
			require.ErrorIs(t, err, durable.ErrUnstorable)
			_, err = e.List(t.Context(), durable.Filter{Labels: labels})
			require.ErrorIs(t, err, durable.ErrUnstorable)
		}
		require.ErrorIs(t, h.Signal(t.Context(), text, 1), durable.ErrUnstorable)
		require.ErrorIs(t, h.Signal(t.Context(), "number", 1, durable.SignalKey(text)), durable.ErrUnstorable)
		_, err = durable.Update[int](t.Context(), e, most, "number", 1, durable.SignalKey(text))
		require.ErrorIs(t, err, durable.ErrUnstorable)
		f := tallyDurable
		f.Name = text
		_, err = durable.Serve(e, f, struct{}{}).Start(t.Context(), "b", 1)
		require.ErrorIs(t, err, durable.ErrUnstorable)
		for name, call := range map[string]func() error{
			"Wait":      func() error { _, err := served.Handle(text).Wait(t.Context()); return err },
			"Get":       func() error { _, err := e.Get(t.Context(), text); return err },
			"Signal":    func() error { return e.Signal(t.Context(), text, "number", 1) },
			"Cancel":    func() error { return e.Cancel(t.Context(), text) },
			"Terminate": func() error { return e.Terminate(t.Context(), text) },
			"Resume":    func() error { return e.Resume(t.Context(), text) },
			"Reset":     func() error { return e.Reset(t.Context(), text, "begin") },
			"Query": func() error {
				_, err := durable.Query(t.Context(), e, text, func(*durable.Instance) (int, error) { return 0, nil })
				return err
			},
		} {
			require.ErrorIs(t, call(), durable.ErrNotFound, "%s: no instance has such an id", name)
		}
	}
	require.ErrorContains(t, h.Signal(t.Context(), "number", 0, durable.SignalKey("$cancel")), "cannot be the key")
	require.NoError(t, h.Signal(t.Context(), "number", 0, durable.SignalKey(most)))
	n, err := h.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
