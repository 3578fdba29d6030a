// Package chromium finds the browser of the tests that look at pages.
package chromium

import (
	"os"
	"os/exec"
	"testing"
)

// names are what systems call it.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Path returns the path of a Chromium on this system. Without one the test is left out,
// unless the environment variable CI_BROWSER demands it. It does not block.
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
