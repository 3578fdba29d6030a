package main

import (
	"testing"

	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return &Newest{} })
}
