// Package chromium finds the browser for tests of web pages.
package chromium

import (
	"os"
	"os/exec"
	"testing"
)

// names lists the names of the program on different systems.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Path returns the path of a Chromium on this system. If there is none, the test is skipped,
// or fails if the environment variable CI_BROWSER is set. It does not block.
func Path(t testing.TB) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI_BROWSER") != "" {
		t.Fatal("no Chromium is installed")
	}
	t.Skip("no Chromium is installed")
	return ""
}
