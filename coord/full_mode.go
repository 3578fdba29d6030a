package coord

import "strconv"

// FullMode says what becomes of an element that is sent to a full [Channel] or [Broadcast].
type FullMode uint8

// The full modes. The last three never wait.
const (
	// WaitForRoom has the send wait until there is room.
	WaitForRoom FullMode = iota
	// DropNewest drops the element that is sent. The send succeeds.
	DropNewest
	// DropOldest drops the element that has been in the buffer for longest to make room. The
	// send succeeds.
	DropOldest
	// Reject has the send fail with [ErrFull].
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
