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

// stackFrames is how many frames the text of a stack has at most.
const stackFrames = 100

// stackText is room for the runtime's text of so many frames.
const stackText = 64 << 10

var stackTexts = sync.Pool{New: func() any { return new([stackText]byte) }}

// Here is the stack of the calling goroutine. Its cost has a bound, however deep the
// stack is. It does not block.
//
// The tempting way is debug.Stack. It doubles a buffer until the text fits, and the
// runtime walks over the whole stack each time, although it prints a hundred frames of
// it. A panic that passes through a thousand jobs, each of which waits in place for the
// next one, would walk over a thousand stacks. So of a deep stack the addresses of the
// innermost frames are kept, and become text only if the panic ends a job.
func Here() Stack {
	var callers [stackFrames + 1]uintptr
	if n := runtime.Callers(1, callers[:]); n == len(callers) {
		return Stack{callers: slices.Clone(callers[:stackFrames])}
	}
	buf := stackTexts.Get().(*[stackText]byte)
	defer stackTexts.Put(buf)
	return Stack{text: bytes.Clone(buf[:runtime.Stack(buf[:], false)])}
}

// Printed is a stack whose text is known already.
func Printed(text []byte) Stack { return Stack{text: text} }

// Text is the stack as debug.Stack prints it. If it has more than a hundred frames, it is
// the innermost hundred, without arguments.
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
