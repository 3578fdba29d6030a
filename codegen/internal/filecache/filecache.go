// Package filecache stores results in a user's folder, by key, for programs that may run
// concurrently, be killed, or run into a full disk. Losing an entry costs only time, so errors
// are reported only on request. A damaged entry, however, must never be returned.
//
// An entry is one file, named by its key. It contains a checksum of the value and the value. The
// file gets its name by a rename, so when two programs write one key, one of their entries
// remains. The folder has no lock, which a killed program would leave behind. The go command's
// build cache works the same way.
package filecache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Key names an entry: a hash of everything that its value depends on.
type Key [sha256.Size]byte

// Entries that were not used for maxAge are removed. Finding them takes longer than a lookup, so
// it happens only every trimInterval. The modification time of an entry's file is the time of its
// last use. It is updated only if it is off by touchInterval, so most lookups write nothing.
const (
	maxAge        = 30 * 24 * time.Hour
	trimInterval  = 24 * time.Hour
	touchInterval = time.Hour
)

const trimmedName = "trimmed" // the file whose time is that of the last trimming

// Dir is a cache. It is safe for concurrent use, even by several processes.
type Dir struct {
	path string
	now  func() time.Time
}

// Open returns the cache in the folder at path, which need not exist.
func Open(path string) *Dir { return &Dir{path: path, now: time.Now} }

// Get returns the value of key, and whether there is an undamaged one.
func (d *Dir) Get(key Key) ([]byte, bool) {
	path := d.entry(key)
	data, err := os.ReadFile(path)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	sum, value := data[:sha256.Size], data[sha256.Size:]
	if want := sha256.Sum256(value); !bytes.Equal(sum, want[:]) {
		return nil, false
	}
	if info, err := os.Stat(path); err == nil && d.now().Sub(info.ModTime()) > touchInterval {
		_ = os.Chtimes(path, d.now(), d.now()) // on failure it is removed a little early
	}
	return value, true
}

// Put stores value under key, replacing any earlier value, and occasionally removes entries that
// were not used for a long time. An error means that value was not stored; an earlier value may
// still be there.
func (d *Dir) Put(key Key, value []byte) error {
	path := d.entry(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("filecache: %w", err)
	}
	d.trim()
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return fmt.Errorf("filecache: %w", err)
	}
	sum := sha256.Sum256(value)
	_, err = f.Write(append(sum[:], value...))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // otherwise trim finds it
		return fmt.Errorf("filecache: %w", err)
	}
	return nil
}

// entry returns the file of key. Folders with many thousand files are slow on some systems, so
// the entries are spread over 256 folders, named by the first byte.
func (d *Dir) entry(key Key) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(d.path, name[:2], name)
}

// trim removes old entries, and the leftovers of killed writers, unless it did so recently. It
// searches only folders named like those of entries, since the user's folder may contain
// something else.
func (d *Dir) trim() {
	marker := filepath.Join(d.path, trimmedName)
	now := d.now()
	if info, err := os.Stat(marker); err == nil && now.Sub(info.ModTime()) < trimInterval {
		return
	}
	// First, so that concurrent programs do not all do this.
	if os.WriteFile(marker, nil, 0o644) != nil || os.Chtimes(marker, now, now) != nil {
		return
	}
	for i := range 256 {
		dir := filepath.Join(d.path, fmt.Sprintf("%02x", i))
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if old(e, now) {
				_ = os.Remove(filepath.Join(dir, e.Name())) // or else next time
			}
		}
	}
}

func old(e fs.DirEntry, now time.Time) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > maxAge
}
