package main

import (
	"testing"

	"github.com/movenext/movenext/codegen/twintest"
)

func TestGeneratedCodeIsFresh(t *testing.T) { twintest.Fresh(t) }
