package policy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// subjectWidth is the first column that the subject of a commit does not reach:
// lists of commits cut longer ones.
const subjectWidth = 72

// heldFrom is the time from which the rule applies to commits. Unlike the name of a
// commit, a time is also known in a clone without history.
const heldFrom = "2026-11-22T21:00:00Z"

// subjectForm is "area: what changes and why". Areas are folders or files.
var subjectForm = regexp.MustCompile(`^[a-z.][a-z0-9_./-]*(?:, ?[a-z.][a-z0-9_./-]*)*: \S`)

// Commits returns the subjects of the repository's commits since heldFrom, the newest
// first, as far as the clone has them. Without git, or outside of a repository, there
// are none. Merges are left out, since git writes their subjects.
func Commits(root string) []string {
	git := func(args ...string) string {
		command := exec.Command("git", args...)
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	// The go command caches the results of tests. It detects a new commit only through a
	// file that the test itself has opened.
	if log := git("rev-parse", "--git-path", "logs/HEAD"); log != "" {
		if !filepath.IsAbs(log) {
			log = filepath.Join(root, log)
		}
		_, _ = os.ReadFile(log) // a clone may keep no such log
	}
	out := git("log", "--no-merges", "--format=%s", "--since="+heldFrom)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// CheckSubjects returns a finding for each subject that is too long, or does not
// begin with an area in lower case.
func CheckSubjects(subjects []string) []Finding {
	var found []Finding
	for _, s := range subjects {
		if wide := utf8.RuneCountInString(s); wide >= subjectWidth {
			found = append(found, Finding{
				Path: "commit",
				Name: s,
				What: fmt.Sprintf("the subject %q has %d characters", s, wide),
				Mend: fmt.Sprintf("amend it to fewer than %d; the rest belongs in the body", subjectWidth),
			})
		}
		if !subjectForm.MatchString(s) {
			found = append(found, Finding{
				Path: "commit",
				Name: s,
				What: fmt.Sprintf("the subject %q does not begin with an area", s),
				Mend: "amend it to \"area: what changes and why\", the area in lower case",
			})
		}
	}
	return found
}
