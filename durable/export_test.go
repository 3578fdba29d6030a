package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Seal is a document with its checksum.
func Seal(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append([]byte(magic+hex.EncodeToString(sum[:])+"\n"), body...)
}

// Clock makes an engine ask another clock than that of the system.
func Clock(now func() time.Time) Option { return func(s *settings) { s.now = now } }
