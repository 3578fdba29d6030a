package library

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pointSource is the package of the suspension points and of the switches that enter machines.
// The number in it is the number of points.
//
//go:embed point.go.txt
var pointSource string

// writePoint writes the package. It is written before the machines are generated, since the
// generator reads its functions, and does not change afterwards.
func (h *home) writePoint() error {
	dir := filepath.Join(h.root, pointName)
	text := strings.Replace(pointSource, "const points = 1", fmt.Sprint("const points = ", h.sites+1), 1)
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "point.go"), []byte(text), 0o600))
}
