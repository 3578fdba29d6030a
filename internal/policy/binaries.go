package policy

import "fmt"

// maxFileBytes is the maximum size of a file: what people write is far below it, and every
// program that go build or go test -c leaves is above it.
const maxFileBytes = 1 << 20

// binaries checks that the tree has sources alone.
func binaries(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if len(f.Text) > maxFileBytes {
			found = append(found, Finding{
				Path: f.Path,
				What: fmt.Sprintf("%d bytes, where %d are the most", len(f.Text), maxFileBytes),
				Mend: "git rm it: a program is built from its source, and data are made by a program or a test, or kept elsewhere",
			})
		}
	}
	return found
}
