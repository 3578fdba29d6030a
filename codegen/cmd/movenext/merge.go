package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// stage makes the generated files of a run a part of git's next commit, also those that the merge
// left as they are now.
func stage(dir string, result *codegen.Result) error {
	var names strings.Builder
	for _, f := range result.Files {
		names.WriteString(f.Path + "\x00")
	}
	if names.Len() == 0 {
		return nil
	}
	cmd := exec.Command("git", "update-index", "--add", "--remove", "-z", "--stdin")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(names.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git update-index: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
