package shim

import "github.com/movenext/movenext/internal/interleave"

// Handle is an item whose submitter can later query its outcome. It is both the ender and
// the GiveUpListener of its own item.
type Handle struct {
	Item
	onGiveUp GiveUpListener

	mu     interleave.Mutex
	over   bool          // the work has ended or was given up
	reason error         // the reason if it was given up, else nil
	done   chan struct{} // made by Done
}

// OnGiveUp sets what is notified when the work is given up. Call it before Accept.
func (h *Handle) OnGiveUp(l GiveUpListener) { h.handle, h.onGiveUp = h, l }

// HandleEnd implements tally.Ender: the work has ended.
func (h *Handle) HandleEnd() { h.conclude(nil) }

// HandleGiveUp implements [GiveUpListener].
func (h *Handle) HandleGiveUp(reason error) { h.conclude(reason) }

func (h *Handle) conclude(reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over, h.reason = true, reason
	if h.done != nil {
		close(h.done)
	}
}

// Done returns a channel that is closed when the work has ended or was given up. The
// channel is made on the first call.
func (h *Handle) Done() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done == nil {
		h.done = make(chan struct{})
		if h.over {
			close(h.done)
		}
	}
	return h.done
}

// Gone reports whether the work has ended or was given up, and why it was given up.
func (h *Handle) Gone() (gone bool, reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over, h.reason
}
