package stores

import (
	"errors"
	"fmt"
)

// MaxCheckpoint is the maximum size of a checkpoint, a signal or an outcome, in bytes.
const MaxCheckpoint = 1 << 20

// Errors of stores. An engine checks for them with errors.Is.
var (
	// ErrNotFound: there is no instance with that id.
	ErrNotFound = errors.New("durable: no such instance")
	// ErrConflict: the record has changed since it was read, or already exists.
	ErrConflict = errors.New("durable: the record has changed")
	// ErrEnded: the instance has ended and takes no messages.
	ErrEnded = errors.New("durable: the instance has ended")
	// ErrUnstorable: what was to be written can never be kept, however often it is tried.
	ErrUnstorable = errors.New("durable: it can never be stored")
	// ErrTooLarge says that a value to save exceeds MaxCheckpoint bytes, or the limit of its
	// store. For the answer to an update, it says that the answer exceeds 64 KiB.
	ErrTooLarge = fmt.Errorf("durable: more than %d bytes to save", MaxCheckpoint)
	// ErrCorrupt says that the stored checkpoint differs from the one that was saved.
	ErrCorrupt = errors.New("durable: the checkpoint is damaged")
	// ErrNoTx says that there is no transaction: the store has none, or none of that type, or a
	// step runs outside an engine and without [WithTransactor].
	ErrNoTx = errors.New("durable: the store has no transactions for steps")
)
