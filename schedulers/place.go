package schedulers

import (
	"strconv"
	"strings"
)

// Named is anything that a report can name.
type Named interface{ Name() string }

// Place is a line of the source.
type Place struct {
	Function string // with its package: example.com/shop.(*Cart).Total
	File     string
	Line     int
}

// String returns the place as a report shows it: "shop.(*Cart).Total (cart.go:12)".
func (p Place) String() string {
	if p.Function == "" {
		return "a place that is not known"
	}
	return lastPart(p.Function) + " (" + lastPart(p.File) + ":" + strconv.Itoa(p.Line) + ")"
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
