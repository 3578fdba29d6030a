package plot

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Save writes a picture to a file, in a folder that it makes if necessary, and returns
// the file's path with slashes, as a link has them.
func Save(path string, picture interface{ Write(out io.Writer) error }) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("plot: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("plot: %w", err)
	}
	if err := picture.Write(f); err != nil {
		_ = f.Close() // it is incomplete either way
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", fmt.Errorf("plot: %w", err)
	}
	return filepath.ToSlash(path), nil
}
