package nilctx_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAContextThatIsNotNilStaysItself(t *testing.T) {
	assert.Equal(t, t.Context(), nilctx.Background(t.Context()))
}

func ExampleBackground() {
	fmt.Println(nilctx.Background(nil) == context.Background()) //nolint:staticcheck // nil is the case shown
	// Output: true
}
