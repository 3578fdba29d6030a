package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Line is a contender's figures by size.
type Line struct {
	Contender string
	Cells     []Cell
}

// Cell is one figure. Its zero value is a figure that was not requested.
type Cell struct {
	Known  bool
	Value  float64
	Failed string // why there is none
}

// Series writes a table with a column for each size. The reasons for failures follow the table.
func Series(out io.Writer, unit, axis string, sizes []int, lines []Line) {
	head := []string{unit + " by " + axis}
	for _, n := range sizes {
		head = append(head, groupDigits(strconv.Itoa(n)))
	}
	Row(out, head...)
	fmt.Fprintf(out, "|---%s|\n", strings.Repeat("|--:", len(sizes)))
	var reasons []string
	for _, line := range lines {
		cells := []string{name(line.Contender)}
		for i, c := range line.Cells {
			switch {
			case c.Known:
				cells = append(cells, known(c.Value))
			case c.Failed != "":
				cells = append(cells, "failed")
				reasons = append(reasons, fmt.Sprintf("%s with %s %s: %s", line.Contender, groupDigits(strconv.Itoa(sizes[i])), axis, oneLine(c.Failed)))
			default:
				cells = append(cells, unknown)
			}
		}
		Row(out, cells...)
	}
	if len(reasons) > 0 {
		fmt.Fprintf(out, "\n- %s\n", strings.Join(reasons, "\n- "))
	}
}

// name is a contender's name, in bold if it is this library.
func name(contender string) string {
	if Ours(contender) {
		return "**" + contender + "**"
	}
	return contender
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
