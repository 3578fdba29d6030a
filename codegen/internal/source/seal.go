package source

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/parser"
	"go/token"
	"regexp"
)

// The last line of a generated file is a digest of the lines above it. A file that differs from
// what would be generated now, but matches its digest, is stale: the source or the generator has
// changed since, and generating it again loses nothing. A file that does not match its digest has
// been edited by hand, and is replaced only on request.
//
// It is tempting to compare the file with the output for the source of that time, but neither
// that source nor that generator exists any more.

const digestStart = "// Digest of what is above: "

var digestLine = regexp.MustCompile(`(?m)\A` + digestStart + `([0-9a-f]{16})\r?$`)

// findDigest returns where the last line with a digest begins and ends, and where its digest does,
// or nil if there is none. A search for the whole expression takes as long as parsing the file.
func findDigest(data []byte) []int {
	from := bytes.LastIndex(data, []byte("\n"+digestStart)) + 1
	at := digestLine.FindSubmatchIndex(data[from:])
	for i := range at {
		at[i] += from
	}
	return at
}

// IsSealed reports whether data has its digest, and is as it was generated.
func IsSealed(data []byte) bool {
	at := findDigest(data)
	return at != nil && len(bytes.TrimSpace(data[at[1]:])) == 0 && string(data[at[2]:at[3]]) == digest(data[:at[0]])
}

// Seal returns data with its digest appended.
func Seal(data []byte) []byte {
	return fmt.Appendf(data, "\n"+digestStart+"%s\n", digest(append(data, '\n')))
}

// digest returns a hash that does not depend on line endings.
func digest(data []byte) string {
	sum := sha256.Sum256(UnixLines(data))
	return fmt.Sprintf("%x", sum[:8])
}

// UnixLines returns data with the line endings with which it was generated. Version control may
// have changed them (core.autocrlf), and a file that differs only in its line endings is up to
// date. Otherwise check would fail in every clone on such a system, and generate would change
// untouched files there.
func UnixLines(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

var conflictMark = regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>)( |\r?$)`)

// InConflict reports whether a file has the marks of a merge conflict.
func InConflict(data []byte) bool { return conflictMark.Match(data) }

// FindAlteration reports whether a generated file differs from its generated form, because it was
// edited or damaged. If it was damaged, damage says how.
func FindAlteration(data []byte) (differs bool, damage string) {
	unsealed := findDigest(data) == nil
	switch {
	case IsSealed(data):
		return false, ""
	case InConflict(data):
		return true, "it has the marks of a merge conflict"
	case len(bytes.Trim(data, "\x00 \t\r\n")) == 0:
		return true, "it is empty"
	case unsealed && parses(data):
		return false, "" // of a generator that wrote no digest, or cut between two declarations
	case unsealed:
		return true, "it ends in the middle"
	}
	return true, ""
}

func parses(data []byte) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution)
	return err == nil
}
