package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tag gives the changelog's entries a number and makes all tags, in this clone alone. Those of the
// other modules are on a commit beside the branch, where each requires the root's tag: on the
// branch they require what is beside them.
func (r *release) tag(date string) error {
	if changed, err := r.git("status", "--porcelain"); err != nil || changed != "" {
		return errors.Join(err, errors.New("there are changes that are not committed"))
	}
	text, err := r.read("CHANGELOG.md")
	if err != nil {
		return err
	}
	heading := fmt.Sprintf("## Unreleased\n\n## %s, %s\n", strings.TrimPrefix(r.version, "v"), date)
	if err := r.replace("CHANGELOG.md", []byte(strings.Replace(text, "## Unreleased\n", heading, 1))); err != nil {
		return err
	}
	names := []string{r.version}
	if err := r.commit("release "+r.version, names...); err != nil {
		return err
	}
	if _, err := r.git("checkout", "-q", "--detach"); err != nil {
		return err
	}
	for _, dir := range tagged {
		data, err := r.released(dir, r.version)
		if err != nil {
			return err
		}
		if err := r.replace(dir+"/go.mod", data); err != nil {
			return err
		}
		names = append(names, dir+"/"+r.version)
	}
	err = r.commit("release "+r.version+" of the other modules", names[1:]...)
	if _, back := r.git("checkout", "-q", "-"); err != nil || back != nil {
		return errors.Join(err, back)
	}
	fmt.Fprintln(os.Stdout, "git push origin HEAD "+strings.Join(names, " "))
	return nil
}

// commit commits everything that has changed, with tags.
func (r *release) commit(message string, tags ...string) error {
	if _, err := r.git("commit", "-qam", message); err != nil {
		return err
	}
	for _, name := range tags {
		if _, err := r.git("tag", "-a", "-m", message, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) replace(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.root, filepath.FromSlash(name)), data, 0o644)
}
