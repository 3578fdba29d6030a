package coord

import "strconv"

// FullMode selects what happens to an element sent to a full [Channel] or [Broadcast].
type FullMode uint8

// The full modes. The last three never wait.
const (
	// WaitForRoom makes the send wait until there is room.
	WaitForRoom FullMode = iota
	// DropNewest drops the element that is sent. The send succeeds.
	DropNewest
	// DropOldest makes room by dropping the oldest element of the buffer. The send
	// succeeds.
	DropOldest
	// Reject makes the send fail with [ErrFull].
	Reject
)

var fullModeNames = [...]string{"WaitForRoom", "DropNewest", "DropOldest", "Reject"}

// String returns the mode's name.
func (m FullMode) String() string {
	if int(m) < len(fullModeNames) {
		return fullModeNames[m]
	}
	return "FullMode(" + strconv.Itoa(int(m)) + ")"
}

// mustBeKnown panics if m is not one of the constants.
func (m FullMode) mustBeKnown() {
	if int(m) >= len(fullModeNames) {
		panic("coord: unknown " + m.String())
	}
}
