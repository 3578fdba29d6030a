package durable

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/movenext/movenext/durable/stores"
)

// # Texts
//
// Stores differ in the texts that they can keep: Postgres takes no zero byte and an index only so
// many bytes, JSON replaces what is not UTF-8, a subject of NATS has a bound of its own. So one
// rule holds for all of them, which the engine checks before a store sees a text. Otherwise a
// program would meet the rule of its store when it leaves the one in memory.

// Limits, in bytes.
const (
	// MaxCheckpoint is the maximum size of a checkpoint, a signal or an outcome.
	MaxCheckpoint = stores.MaxCheckpoint

	// MaxText is the maximum length of each id, name, key and label: the ids of instances; the
	// names of functions, layouts, points, steps and signals; the keys of signals; the names and
	// the values of labels, of which an instance has at most 100. All are valid UTF-8 without zero
	// bytes. The error for another text matches [ErrUnstorable].
	MaxText = 1000
)

// maxLabels is the maximum number of labels of an instance.
const maxLabels = 100

// checkText returns an error if a text breaks the rules of MaxText.
func checkText(what, text string) error {
	switch {
	case len(text) > MaxText:
		return fmt.Errorf("%w: the %s %.40q… has %d bytes, and may have %d", ErrUnstorable, what, text, len(text), MaxText)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("%w: the %s %.40q is not UTF-8 without zero bytes", ErrUnstorable, what, text)
	}
	return nil
}

// checkLabels returns an error if labels break the rules of MaxText.
func checkLabels(labels map[string]string) error {
	if len(labels) > maxLabels {
		return fmt.Errorf("%w: there are %d labels, and may be %d", ErrUnstorable, len(labels), maxLabels)
	}
	for name, value := range labels {
		if err := errors.Join(checkText("label", name), checkText("value of a label", value)); err != nil {
			return err
		}
	}
	return nil
}

// checkSignal returns an error if a user's message has a name or a key that it cannot have. Those
// of the engine's own messages begin with a dollar sign: a user's message with the key of a
// cancellation would make the store drop the cancellation.
func checkSignal(m stores.Message) error {
	key := strings.TrimPrefix(m.Key, updateKey)
	if m.Name == "" || strings.HasPrefix(m.Name, "$") {
		return fmt.Errorf("durable: %q cannot be the name of a signal", m.Name)
	}
	if strings.HasPrefix(key, "$") {
		return fmt.Errorf("durable: %q cannot be the key of a signal", key)
	}
	return errors.Join(checkText("name of a signal", m.Name), checkText("key of a signal", key))
}

// checkTexts returns an error if a function has a name that cannot be stored.
func (f *definition) checkTexts() error {
	err := errors.Join(checkText("name of a function", f.name), checkText("layout", f.layout))
	for _, layout := range f.resumes {
		err = errors.Join(err, checkText("layout", layout))
	}
	for _, m := range f.migrations {
		err = errors.Join(err, checkText("layout", m.To))
	}
	for _, p := range f.points {
		err = errors.Join(err, checkText("name of a point", p.Name), checkText("name of a step", p.Step))
	}
	return err
}

// maxReason is the length to which the reason of a stuck instance is shortened, in bytes: it may
// have a stack, and belongs to the record, for which stores have a limit.
const maxReason = 16 << 10

// reasonOf returns the reason of a stuck instance as every store can keep it.
func reasonOf(why error) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(textOf(why), "\uFFFD"), "\x00", "\uFFFD")
	return truncated(text, maxReason)
}

// truncated returns the beginning of a text.
func truncated(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
