package source_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/codegen/internal/source"
)

func TestACommentEndsBeforeItsWidth(t *testing.T) {
	assert.Equal(t, "// a short one.\n", source.Comment("a %s one.", "short"))
	long := strings.Repeat("é", source.CommentWidth-len("// ")-len(" bb")-1)
	assert.Equal(t, "// "+long+" bb\n", source.Comment("%s bb", long))
	assert.Equal(t, "// "+long+"\n// bbb\n", source.Comment("%s bbb", long))
	assert.Equal(t, "// "+long+long+"\n// b\n", source.Comment("%s b", long+long), "a word is not split")
}
