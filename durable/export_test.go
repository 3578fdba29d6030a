package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Seal adds the checksum to a document.
func Seal(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append([]byte(magic+hex.EncodeToString(sum[:])+"\n"), body...)
}

// Clock makes an engine use the given clock instead of the system's.
func Clock(now func() time.Time) Option { return func(s *settings) { s.now = now } }
