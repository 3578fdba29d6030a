package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// List returns the output of go list for packages, without cgo, in its order. The arguments are
// those of the command; one of them is -json with the names of T's fields.
func List[T any](args ...string) ([]T, error) {
	return ListIn[T]("", append(os.Environ(), "CGO_ENABLED=0"), args...)
}

// ListIn is like [List], in a given folder and environment.
func ListIn[T any](dir string, env []string, args ...string) ([]T, error) {
	command := exec.Command("go", append([]string{"list"}, args...)...)
	command.Dir, command.Env = dir, env
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("batch: go list: %w\n%s", err, &stderr)
	}
	var all []T
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p T
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("batch: go list: %w", err)
		}
		all = append(all, p)
	}
}
