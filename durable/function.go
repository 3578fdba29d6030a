package durable

import (
	"encoding/json"
	"math"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

// Forever as a timeout or a sleep never ends.
const Forever = time.Duration(math.MaxInt64)

// Function describes a durable function to an engine. S is its receiver (struct{} if it has
// none), Req its parameter after the context, Res its result before the error.
type Function[S, Req, Res any] struct {
	// Name identifies the function in stores, in all versions of the program.
	Name string

	// Layout is a hash of the contents of its checkpoints. Instances saved with another layout
	// are left to other workers, unless Resumes contains it or a chain of Migrations leads from
	// it to one of these.
	Layout     string
	Resumes    []string
	Migrations []Migration

	// Points are its points, by number. Point 0 is its beginning.
	Points []gen.Point

	// New makes a frame at the beginning of the function. It is also called, with a zero request,
	// to load a saved frame.
	New func(receiver S, request Req) gen.Frame
}

// definition is a Function without its types.
type definition struct {
	name, layout string
	resumes      []string
	migrations   map[string]Migration // by From
	points       []gen.Point
	number       map[string]int                           // by name
	checks       map[string]func(*Instance, []byte) error // of updates, by name
	make         func(request json.RawMessage) (gen.Frame, error)
}
