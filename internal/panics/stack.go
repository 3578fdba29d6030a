package panics

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Stack is a goroutine's stack at the moment of a panic. The zero Stack has no text.
type Stack struct {
	text    []byte
	callers []uintptr
}

// stackFrames is the largest number of frames in the text of a stack.
const stackFrames = 100

// stackText is room for the runtime's text of so many frames.
const stackText = 64 << 10

var stackTexts = sync.Pool{New: func() any { return new([stackText]byte) }}

// Here returns the stack of the calling goroutine. Its cost is bounded, however deep the
// stack is. It does not block.
//
// The tempting way is debug.Stack. It doubles a buffer until the text fits, and the runtime
// walks the whole stack each time, although it prints only a hundred frames. A panic that
// passes through a thousand jobs, each of which runs the next one in place, would walk a
// deep stack a thousand times. So for a deep stack only the addresses of the innermost
// frames are kept, and they become text only if the panic ends a job.
func Here() Stack {
	var callers [stackFrames + 1]uintptr
	if n := runtime.Callers(1, callers[:]); n == len(callers) {
		return Stack{callers: slices.Clone(callers[:stackFrames])}
	}
	buf := stackTexts.Get().(*[stackText]byte)
	defer stackTexts.Put(buf)
	return Stack{text: bytes.Clone(buf[:runtime.Stack(buf[:], false)])}
}

// Printed returns a stack whose text is already known.
func Printed(text []byte) Stack { return Stack{text: text} }

// Text returns the stack in the format of debug.Stack. For a stack of more than a hundred
// frames, it contains the innermost hundred, without arguments.
func (s Stack) Text() []byte {
	if s.callers == nil {
		return s.text
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "goroutine [running], its innermost %d frames:\n", len(s.callers))
	for frames := runtime.CallersFrames(s.callers); ; {
		frame, more := frames.Next()
		fmt.Fprintf(&text, "%s(...)\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
		if !more {
			text.WriteString("...additional frames elided...\n")
			return text.Bytes()
		}
	}
}
