package explain_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/explain"
	"github.com/movenext/movenext/internal/testmodule"
)

var update = flag.Bool("update", false, "write what is printed into the file of the case")

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// formats are the writers of machines.
var formats = map[string]func(io.Writer, []*codegen.Machine) error{
	"want/text": explain.Text, "want/mermaid": explain.Mermaid, "want/dot": explain.Dot,
}

const golden = "testdata/machines.txtar"

// module writes the source of the golden case and returns its folder.
func module(t *testing.T) (dir string, archive *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	dir = testmodule.New(t, "example.com/machines")
	testmodule.Write(t, filepath.Join(dir, archive.Files[0].Name), archive.Files[0].Data)
	return dir, archive
}

func machines(t *testing.T, dir string, functions ...string) []*codegen.Machine {
	t.Helper()
	list, found, err := codegen.Explain(codegen.Config{Dir: dir}, []string{"."}, functions...)
	require.NoError(t, err)
	require.Empty(t, found)
	return list
}

func TestMachinesInEachFormat(t *testing.T) {
	dir, archive := module(t)
	list := machines(t, dir)
	files := archive.Files[:1:1]
	for _, name := range []string{"want/text", "want/mermaid", "want/dot"} {
		var b bytes.Buffer
		require.NoError(t, formats[name](&b, list))
		files = append(files, txtar.File{Name: name, Data: b.Bytes()})
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files}), 0o644))
		return
	}
	require.Len(t, archive.Files, len(files))
	for i, f := range files {
		assert.Equal(t, string(archive.Files[i].Data), string(f.Data), f.Name)
	}
}

func TestBytesAreThoseOfTheCompiler(t *testing.T) {
	for _, mode := range []codegen.Mode{codegen.Release, codegen.Debug} {
		dir, _ := module(t)
		_, err := codegen.Generate(codegen.Config{Dir: dir, Mode: mode}, ".")
		require.NoError(t, err)
		var checks strings.Builder
		compared := 0
		for _, m := range machines(t, dir) {
			frame, fields, bytes := m.Frame, m.Fields, m.Bytes
			if mode == codegen.Debug {
				frame, fields, bytes = strings.Replace(m.Frame, "Locals", "Frame", 1), m.Debug, m.DebugBytes
			}
			if bytes < 0 {
				continue
			}
			compared++
			fmt.Fprintf(&checks, "\t{%q, unsafe.Sizeof(%s{}), %d},\n", frame, frame, bytes)
			for _, f := range fields {
				fmt.Fprintf(&checks, "\t{%q, unsafe.Sizeof(%s{}.%s), %d},\n", frame+"."+f.Name, frame, f.Name, f.Bytes)
			}
		}
		require.Greater(t, compared, 2)
		testmodule.Write(t, filepath.Join(dir, "size_test.go"), fmt.Appendf(nil, `package machines

import ("testing"; "unsafe")

func TestSizes(t *testing.T) {
	for _, c := range []struct{ name string; is, said uintptr }{
%s	} {
		if c.is != c.said { t.Errorf("%%s has %%d bytes, not %%d", c.name, c.is, c.said) }
	}
}
`, &checks))
		test := exec.Command("go", "test", "-vet=off", ".")
		test.Dir = dir
		out, err := test.CombinedOutput()
		assert.NoError(t, err, "%s: %s", mode, out)
	}
}

func TestOnlyNamedFunctionsAreExplained(t *testing.T) {
	dir, _ := module(t)
	var names []string
	for _, m := range machines(t, dir, "walk", "shop.count") {
		names = append(names, m.Function)
	}
	assert.Equal(t, []string{
		"example.com/machines.walk", "example.com/machines.(*shop).count", "example.com/machines.(*shop).count.func1",
	}, names)

	_, _, err := codegen.Explain(codegen.Config{Dir: dir}, []string{"."}, "walk", "run")
	assert.ErrorContains(t, err, "no annotated function run in .")
}

// errFull is the error of a full disk.
var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	dir, _ := module(t)
	list := machines(t, dir, "walk")
	for name, write := range formats {
		assert.ErrorIs(t, write(full{}, list), errFull, name)
	}
	assert.ErrorIs(t, explain.HTML(full{}, "walk", list, nil), errFull)
}

const recording = `{"Machine":1,"Function":"example.com/machines.walk","Event":"start","State":0,"Line":0,"Locals":[{"Name":"list","Value":"nil"}]}
{"Machine":1,"Function":"example.com/machines.walk","Event":"line","State":0,"Line":14,"Locals":[]}
{"Machine":1,"Function":"example.com/machines.walk","Event":"line","State":0,"Line":14,"Locals":[]}
{"Machine":2,"Function":"example.com/machines.other","Event":"start","State":0,"Line":0,"Locals":[]}
{"Machine":1,"Function":"example.com/machines.walk","Event":"suspend","State":1,"Line":0,"Locals":[{"Name":"list","Value":"</script>"}]}
`

func TestThePageHasSourceDrawingFrameAndRun(t *testing.T) {
	dir, _ := module(t)
	steps, err := explain.ReadRecording(strings.NewReader(recording))
	require.NoError(t, err)
	require.Len(t, steps, 5)
	var b bytes.Buffer
	require.NoError(t, explain.HTML(&b, "a <title>", machines(t, dir), steps))
	page := b.String()
	assert.Contains(t, page, "a &lt;title&gt;")
	assert.Contains(t, page, `data-state="2"`)
	assert.Contains(t, page, `data-edge="2 1"`, "the way back in the loop")
	assert.Contains(t, page, "func (s *shop) count(a awaiter.Awaitable[int])")
	assert.Equal(t, 1, strings.Count(page, "job.SwitchTo(context.Background(), nil) }()"+"</div>"), "a literal's source is in its function's")
	for _, row := range []string{
		`<td class="n">16</td><td class="n">16</td><td class="f">ctx</td>`,
		`<td class="n">–</td><td class="n">16</td><td class="f">err</td>`,
	} {
		assert.Contains(t, page, row, "bytes in the release form and in the form for debuggers")
	}
	assert.Equal(t, 3, strings.Count(page, `"Event":`), "no other functions, and no line twice")
	assert.NotContains(t, page, `"</script>"`, "a value ends no script")
	assert.NotContains(t, page, "http://")
	assert.NotContains(t, page, "https://", "the page stands alone")
}

func TestARecordingThatIsCutOffIsAnErrorWithItsPlace(t *testing.T) {
	_, err := explain.ReadRecording(strings.NewReader(recording[:len(recording)-20]))
	assert.EqualError(t, err, "explain: reading step 5 of a recording: unexpected EOF")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
