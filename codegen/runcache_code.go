package codegen

import (
	"encoding/json"
	"fmt"

	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Where only comments have changed, a run would end as the one before did. A second
// digest, which leaves comments out, detects this. Its data is an entry of its own,
// since most runs need not read it.

// codeRecord is the additional part of a record, for runs after a change.
type codeRecord struct {
	Digest string // with known
	Known  map[string]source.CodeSums
}

// sameCode reports whether only comments differ from what was recorded. If so, it makes
// rec the record of what is there now.
func (c *runCache) sameCode(rec *record, now *state) bool {
	data, ok := c.dir.Get(c.codeKey())
	if !ok {
		return false
	}
	var code codeRecord
	if json.Unmarshal(data, &code) != nil || now.codeDigest(code.Known) != code.Digest {
		return false
	}
	rec.Digest = now.digest()
	c.put(c.key, rec)
	return true
}

func (c *runCache) codeKey() filecache.Key { return keyOfText(fmt.Sprintf("code 1\n%x\n", c.key)) }
