package durable

import (
	"context"
	"log/slog"
)

// containedHandler is the handler of an engine's logger. It is users' code, and is called on the
// goroutines of the engine, where a panic would end the process: the record is lost instead.
type containedHandler struct{ of slog.Handler }

func contained(l *slog.Logger) *slog.Logger { return slog.New(containedHandler{l.Handler()}) }

// Enabled implements slog.Handler.
func (h containedHandler) Enabled(ctx context.Context, level slog.Level) (is bool) {
	defer func() { _ = recover() }()
	return h.of.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h containedHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer recoverTo(&err)
	return h.of.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h containedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return containedHandler{h.of.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h containedHandler) WithGroup(name string) slog.Handler {
	return containedHandler{h.of.WithGroup(name)}
}
