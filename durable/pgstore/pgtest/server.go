// Package pgtest starts Postgres servers for tests and experiments. Each server has its own
// directory and Unix socket, and ends with its process. It needs the server's programs, which
// Debian's package postgresql and similar packages install.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Programs is the environment variable with the folder of the programs initdb and postgres.
// Without it, they are searched for in the folder that pg_config names, in PATH, and in Debian's
// folders.
const Programs = "MOVENEXT_POSTGRES_PROGRAMS"

// ErrNotInstalled is the error of [Start] where there is no Postgres server to start.
var ErrNotInstalled = errors.New("pgtest: there is no Postgres server here; install one (Debian: postgresql), or set " + Programs)

// Server is a running server.
type Server struct {
	programs, dir string
	process       *exec.Cmd
	ended         chan struct{}
}

// Start makes a database in dir, unless one exists, and starts a server for it. If dir is empty,
// a temporary directory is used, which the caller removes. Start blocks until the server answers
// or ctx has ended. If this process runs as root, the server's processes run as the user
// postgres, since Postgres refuses to run as root. settings are settings of the server, as
// name=value.
func Start(ctx context.Context, dir string, settings ...string) (*Server, error) {
	programs, err := folder()
	if err != nil {
		return nil, err
	}
	s := &Server{programs: programs, dir: dir}
	if dir == "" {
		if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
			return nil, err
		}
	}
	err = s.make(ctx)
	if err == nil {
		err = s.start(ctx, settings)
	}
	if err != nil && dir == "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	if err != nil {
		return nil, fmt.Errorf("pgtest: starting a server in %s: %w", s.dir, err)
	}
	return s, nil
}

// folder returns the folder of the programs.
func folder() (string, error) {
	if dir := os.Getenv(Programs); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			return "", fmt.Errorf("%w: %w", ErrNotInstalled, err)
		}
		return dir, nil
	}
	var all []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		all = append(all, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		all = append(all, filepath.Dir(path))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(debian) // the newest first
	for _, dir := range append(all, debian...) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	return "", ErrNotInstalled
}

// make makes the database.
func (s *Server) make(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := giveAway(s.dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.data(), "PG_VERSION")); err == nil {
		return nil
	}
	c := exec.CommandContext(ctx, filepath.Join(s.programs, "initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync")
	c.Dir, c.SysProcAttr = s.dir, asUser()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) start(ctx context.Context, settings []string) error {
	args := []string{"-D", s.data(), "-k", s.dir, "-h", ""}
	for _, set := range append([]string{"max_connections=200"}, settings...) {
		args = append(args, "-c", set)
	}
	var log strings.Builder
	s.process = exec.Command(filepath.Join(s.programs, "postgres"), args...)
	s.process.Dir, s.process.SysProcAttr = s.dir, asUser()
	s.process.Stderr = &log
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		_ = s.process.Wait() // its state says how
		close(s.ended)
	}()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		c, err := pgx.Connect(ctx, s.Address())
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			s.Kill()
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-s.ended:
			return fmt.Errorf("it has ended: %s", log.String())
		case <-time.After(pause):
		}
	}
}

// Address returns the address of the server's database, for pgx and for pgstore.Open. It stays
// the same when a server is started again on the directory.
func (s *Server) Address() string {
	return "host=" + s.dir + " user=postgres dbname=postgres"
}

// Dir returns the directory of the server.
func (s *Server) Dir() string { return s.dir }

// Stop ends the server and its connections, and waits for the server's end.
func (s *Server) Stop() { s.signal(syscall.SIGINT) }

// Kill simulates a crash: the server's processes end at once and write nothing more.
func (s *Server) Kill() { s.signal(syscall.SIGQUIT) }

func (s *Server) signal(sig os.Signal) {
	_ = s.process.Process.Signal(sig) // or it has ended
	<-s.ended
}

// New returns the address of a server that lasts as long as the test.
func New(t testing.TB) (address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := Start(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		if err := os.RemoveAll(s.dir); err != nil {
			t.Error(err)
		}
	})
	return s.Address()
}
