package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// table is the command whose binary is measured, in this version and in any other.
const table = "./cmd/table"

// this builds the binary of this version. It is tempting to let this command be its own child,
// which would save the build. But then the linker would lay out the two compared programs
// differently, which changes a call of two nanoseconds by a fifth.
func this(ctx context.Context, temp string) (string, error) {
	module, err := output(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", err
	}
	return build(ctx, strings.TrimSpace(string(module)), filepath.Join(temp, "this.exe"))
}

// other returns the path of the other version's binary. Anything built for it goes into the
// folder temp.
func (c config) other(ctx context.Context, temp string) (string, error) {
	binary, checkout := filepath.Join(temp, "other.exe"), c.against
	if c.rev != "" {
		checkout = filepath.Join(temp, "checkout")
		if err := export(ctx, c.rev, checkout); err != nil {
			return "", err
		}
	}
	info, err := os.Stat(checkout)
	switch {
	case err != nil:
		return "", fmt.Errorf("what to compare with: %w", err)
	case info.IsDir():
		return build(ctx, filepath.Join(checkout, "lab", "bench"), binary)
	}
	path, err := filepath.Abs(checkout) // a relative path would be looked up in PATH
	if err != nil {
		return "", fmt.Errorf("what to compare with: %w", err)
	}
	return path, nil
}

// build builds the benchmarks of a checkout, with that checkout's library. Paths are trimmed, so
// that equal sources make equal binaries wherever they are. (The suffix .exe is needed on Windows
// and harmless elsewhere.)
func build(ctx context.Context, module, binary string) (string, error) {
	_, err := output(ctx, module, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, table)
	return binary, err
}

// export writes the files of a revision of the surrounding repository to another folder. The
// alternative, a work tree, would leave a trace in the repository if this command were killed.
func export(ctx context.Context, rev, folder string) error {
	top, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	files, err := output(ctx, strings.TrimSpace(string(top)), "git", "archive", "--format=tar", rev)
	if err != nil {
		return err
	}
	return unpack(bytes.NewReader(files), folder)
}

// unpack writes the regular files of an archive below a folder.
func unpack(archive io.Reader, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	root, err := os.OpenRoot(folder) // files of the archive cannot escape it
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("unpacking %s: %w", header.Name, err)
		}
		name := filepath.FromSlash(header.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
		if err := root.WriteFile(name, content, 0o644); err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
	}
}

// output runs a command and returns its standard output. Its standard error is part of
// the error.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
