package codegen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// inFlight is a program whose instances wait in a file between its runs: "start N" starts one
// instance of each function, "signal IDS" lets all of them continue, and waits for those that it
// does not leave to other versions: the IDS. Both print the state of all.
const inFlight = `package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	ctx, store := context.Background(), durable.NewMemory()
	data, err := os.ReadFile("store.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	var records []*stores.Record
	_ = json.Unmarshal(data, &records)
	for _, r := range records {
		r.Version, r.Seen, r.Floor = 0, 0, 0 // messages are not kept
		must(store.Swap(ctx, r))
	}
	engine := must(durable.Open(ctx, store))
	starts := map[string]func(context.Context, string, int, ...durable.StartOption) (durable.Handle[int], error){
		"code": durable.Serve(engine, codeDurable, struct{}{}).Start,
		"skip": durable.Serve(engine, skipDurable, struct{}{}).Start,
		"name": durable.Serve(engine, nameDurable, struct{}{}).Start,
		"move": durable.Serve(engine, moveDurable, struct{}{}).Start,
	}
	for name, start := range starts {
		if os.Args[1] == "start" {
			must(start(ctx, name+os.Args[2], 20))
		}
	}
	for _, i := range must(engine.List(ctx, durable.Filter{})) {
		if os.Args[1] == "signal" && !i.Status.Ended() {
			if err := engine.Signal(ctx, i.ID, "go", true); err != nil {
				panic(err)
			}
		}
	}
	for settled := false; !settled; time.Sleep(time.Millisecond) {
		settled = true
		for _, i := range must(engine.List(ctx, durable.Filter{})) {
			left := os.Args[1] == "start" || slices.Contains(os.Args[2:], i.ID)
			settled = settled && i.Status != durable.Running && (left || i.Status != durable.Waiting)
		}
	}
	for _, i := range must(engine.List(ctx, durable.Filter{})) {
		fmt.Println(i.ID, i.Status, i.Reason)
	}
	if err := engine.Shutdown(ctx); err != nil {
		panic(err)
	}
	data = must(json.Marshal(must(store.List(ctx, durable.Filter{}))))
	if err := os.WriteFile("store.json", data, 0o600); err != nil {
		panic(err)
	}
	said.Close()
}

var said = must(os.OpenFile("said", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))

//movenext:step
func say(ctx context.Context, what string, n int) error {
	_, err := fmt.Fprintln(said, what, n)
	return err
}
`

const inFlightOld = `package main

import (
	"context"

	"github.com/movenext/movenext/durable"
)

//movenext:durable name=code
func code(ctx context.Context, n int) (int, error) {
	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "code", n)
	return n, err
}

//movenext:durable name=skip
func skip(ctx context.Context, n int) (int, error) {
	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "skip", n)
	return n, err
}

//movenext:durable name=name
func name(ctx context.Context, n int) (int, error) {
	old := n + 1
	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "name", old)
	return n, err
}

//movenext:durable name=move
func move(ctx context.Context, n int) (int, error) {
	old := n + 1
	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "move", old)
	return n, err
}
`

// programs are versions of inFlight in one folder.
type programs struct {
	t   *testing.T
	dir string
}

// build generates and builds a version, or returns its findings.
func (p programs) build(name, text string, config codegen.Config) (binary string, found []codegen.Diagnostic) {
	testmodule.Write(p.t, filepath.Join(p.dir, "functions.go"), []byte(text))
	config.Dir = p.dir
	result, err := codegen.Generate(config, ".")
	require.NoError(p.t, err)
	if len(result.Diagnostics) > 0 {
		return "", result.Diagnostics
	}
	binary = filepath.Join(p.dir, name+".exe")
	compiler := exec.Command("go", "build", "-o", binary, ".")
	compiler.Dir = p.dir
	output, err := compiler.CombinedOutput()
	require.NoError(p.t, err, "%s", output)
	return binary, nil
}

func (p programs) run(binary string, args ...string) string {
	command := exec.CommandContext(p.t.Context(), binary, args...)
	command.Dir = p.dir
	output, err := command.Output()
	require.NoError(p.t, err, "%s", output)
	return string(output)
}

func (p programs) read(name string) string {
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	require.NoError(p.t, err)
	return string(data)
}

// layouts returns the hashes of the functions' layouts; each function has one.
func (p programs) layouts() map[string]string {
	layouts := map[string]string{}
	for _, section := range strings.Split(p.read("movenext_layouts.txt"), "\nfunction ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		layouts[name] = ofLayouts.FindStringSubmatch(section)[1]
	}
	return layouts
}

// inFlightNew makes the changes of the new version, except for a migration.
var inFlightNew = strings.NewReplacer(
	`say(ctx, "code", n)`, `say(ctx, "new code", n)`,
	`	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "skip", n)`, `	//movenext:point before
	if err := say(ctx, "new step", n); err != nil {
		return 0, err
	}
	if _, err := durable.Receive[bool](ctx, "go", durable.Forever); err != nil {
		return 0, err
	}
	err := say(ctx, "skip", n)`,
	"old := n + 1", "better := n + 1", ", old)", ", better)",
).Replace(inFlightOld)

const inFlightMigration = `
//movenext:migrate name=move from=LAYOUT
func renamed(s *durable.Saved) error {
	if s.Has("old") {
		return s.Rename("old", "better")
	}
	return nil
}
`

// Instances of an old program meet a new one, made as the findings require: with an accepted
// change, a skipped change, a change that strands instances, and a migration. Then instances of
// the new program meet the old one, and are not lost.
func TestInstancesInFlightMeetOtherVersions(t *testing.T) {
	p := programs{t, testmodule.New(t, "example.com/inflight")}
	testmodule.Write(t, filepath.Join(p.dir, "main.go"), []byte(inFlight))
	old, found := p.build("old", inFlightOld, codegen.Config{})
	require.Empty(t, found)
	layouts := p.layouts()
	assert.Equal(t, "code1 waiting \nmove1 waiting \nname1 waiting \nskip1 waiting \n", p.run(old, "start", "1"))

	_, found = p.build("new", inFlightNew, codegen.Config{})
	require.Len(t, found, 7)
	text := inFlightNew + strings.Replace(inFlightMigration, "LAYOUT", layouts["move"], 1)
	_, found = p.build("new", text, codegen.Config{Accept: []string{"code", "skip"}})
	require.Len(t, found, 2, "the one that is renamed and not migrated: %v", found)
	renewed, found := p.build("new", text, codegen.Config{Accept: []string{"code", "skip", "name"}, Strand: true})
	require.Empty(t, found)

	assert.Equal(t, "code1 completed \nmove1 completed \nname1 waiting \nskip1 completed \n", p.run(renewed, "signal", "name1"))
	said := strings.Split(strings.TrimSpace(p.read("said")), "\n")
	assert.ElementsMatch(t, []string{"new code 20", "move 21", "skip 20"}, said)

	p.run(renewed, "start", "2")
	got := p.run(old, "signal", "move2", "name2", "skip2")
	assert.Contains(t, got, "name1 completed", "this program knows its layout")
	assert.Contains(t, got, "move2 waiting")
	assert.Contains(t, got, "code2 completed", "its layout is the same")
	got = p.run(renewed, "signal")
	assert.Equal(t, 8, strings.Count(got, " completed "), "nothing is lost: %s", got)
}
