package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// serve writes the commit into a folder, in the form of a module proxy, and returns the settings
// of the go command with which it is the latest version.
func (r *release) serve(dir, version string) ([]string, error) {
	versions := filepath.Join(dir, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return nil, err
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return nil, err
	}
	err = zip.CreateFromVCS(archive, module.Version{Path: modulePath, Version: version}, r.root, "HEAD", "")
	if err = errors.Join(err, archive.Close()); err != nil {
		return nil, err
	}
	mod, err := r.read("go.mod")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": mod, version + ".info": fmt.Sprintf(`{"Version":%q}`, version),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	others, err := run(r.root, nil, "go", "env", "GOPROXY", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	proxy, cache, _ := strings.Cut(others, "\n")
	var env []string
	for name, value := range map[string]string{
		"GOPROXY":    strings.Join([]string{folderURL(dir), folderURL(filepath.Join(cache, "cache", "download")), proxy}, ","),
		"GONOSUMDB":  modulePath,
		"GOWORK":     "off",
		"GOMODCACHE": filepath.Join(dir, "cache"),
		"GOFLAGS":    "-modcacherw", // so that it can be removed
	} {
		env = append(env, name+"="+value)
	}
	return env, nil
}

func folderURL(dir string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") }

// tryOut does with the commit what a user does with the tag.
func (r *release) tryOut() (err error) {
	temp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	version := cmp.Or(r.version, "v0.0.1")
	env, err := r.serve(filepath.Join(temp, "proxy"), version)
	if err != nil {
		return err
	}
	hello := filepath.Join(temp, "hello")
	if err := startModule(hello, env); err != nil {
		return err
	}
	program, err := r.read("docs/first/main.go")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(hello, "main.go"), []byte(program), 0o644); err != nil {
		return err
	}
	bin := filepath.Join(temp, "bin")
	for _, line := range []string{
		"go install " + command + "@latest",
		"go mod tidy",
		"go generate ./...",
		"go run .",
		filepath.Join(bin, "movenext") + " check ./...",
		filepath.Join(bin, "movenext") + " version",
	} {
		words := strings.Fields(line)
		out, err := run(hello, append(env, "GOBIN="+bin), words[0], words[1:]...)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "%s\n\t%s\n", line, strings.ReplaceAll(out, "\n", "\n\t"))
	}
	return nil
}

const command = modulePath + "/codegen/cmd/movenext"

// startModule makes a module with the command as a tool.
func startModule(dir string, env []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := run(dir, env, "go", "mod", "init", "example.com/hello"); err != nil {
		return err
	}
	_, err := run(dir, env, "go", "get", "-tool", command)
	return err
}
