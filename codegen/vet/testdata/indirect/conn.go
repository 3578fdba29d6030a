package indirect

import (
	"context"

	"github.com/movenext/movenext/netio"
)

// A net.Conn blocks, but this one has twins, and NewBuffered takes both forms.
//
//movenext:async
func buffered(ctx context.Context, c netio.AsyncConn) error {
	_, err := netio.NewBuffered(c).ReadLine(ctx, 100)
	return err
}
