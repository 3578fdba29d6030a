package plot

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the pictures that are compared with")

func TestAScaleHasWholeDecadesAndEqualFactors(t *testing.T) {
	s := newScale([]float64{30, 7, 0, -3, 800}, 100, 400)
	assert.Equal(t, []float64{1, 10, 100, 1000}, s.decades())
	for v, pixel := range map[float64]float64{1: 100, 10: 200, 100: 300, 1000: 400, 0: 100, -5: 100, 1e9: 400} {
		assert.InDelta(t, pixel, s.position(v), 1e-9, "%v", v)
	}
}

func TestAScaleOfOneValueOrNoneHasAWidth(t *testing.T) {
	for _, values := range [][]float64{nil, {0}, {100}, {100, 100}} {
		s := newScale(values, 0, 10)
		assert.Len(t, s.decades(), 2, "%v", values)
	}
	assert.Equal(t, []float64{0.01, 0.1, 1}, newScale([]float64{0.02, 0.5}, 0, 1).decades())
}

func TestAnAxisOfChosenSizesIsMarkedAtThose(t *testing.T) {
	s, marks := places([]float64{16, 1, 4, 1, 16}, 0, 100)
	assert.Equal(t, []float64{1, 4, 16}, marks)
	assert.InDelta(t, 50, s.position(4), 1e-9)
	s, marks = places([]float64{4, 4}, 0, 100)
	assert.Equal(t, []float64{4}, marks)
	assert.Greater(t, s.most, s.least)
}

func TestShortNumbersFitOnAnAxis(t *testing.T) {
	for v, want := range map[float64]string{0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 1: "1", 2.5: "2.5", 10: "10", 1000: "1k", 2500: "2.5k", 1e6: "1M", 1e10: "10G"} {
		assert.Equal(t, want, Short(v))
	}
}

func dots() Dots {
	return Dots{Title: "W1: start & wait", Unit: "ns/job", Dots: []Dot{
		{"movenext", 120, 100, 160, Ours, "120 (0.46 ×)"},
		{"goroutines", 260, 250, 270, Plain, "260"},
		{"<others>", 2600, 2000, 3000, Other, "2 600 (10 ×)"},
	}}
}

func lines() Lines {
	l := Lines{Title: "W1 by jobs", X: "jobs", Y: "ns/job"}
	for i, kind := range []Kind{Ours, Plain, Other, Plain, Plain} {
		name := "line " + string(rune('a'+i))
		l.Lines = append(l.Lines, Line{name, kind, []Point{{1e3, 100 * float64(i+1)}, {1e5, 70}, {1e7, 50 * float64(i+1)}}})
	}
	return l
}

func TestPicturesAreThoseThatWereLookedAt(t *testing.T) {
	for name, picture := range map[string]interface{ Write(io.Writer) error }{
		"dots.svg": dots(), "lines.svg": lines(), "empty_dots.svg": Dots{Title: "nothing"}, "empty_lines.svg": Lines{Title: "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, picture.Write(&out))
			wellFormed(t, out.String())
			golden := filepath.Join("testdata", name)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String(), "if it is meant to look different now: go test -update, and look at it")
		})
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// full is a disk that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAPictureThatCannotBeWrittenIsAnError(t *testing.T) {
	assert.EqualError(t, dots().Write(full{}), "plot: disk full")
	assert.EqualError(t, lines().Write(full{}), "plot: disk full")
}
