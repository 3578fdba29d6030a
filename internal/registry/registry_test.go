package registry_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	var observers registry.List[string]
	publish := func(all []*string) { fmt.Println(len(all), "observers") }
	first, second := "first", "second"
	removeFirst := observers.Add(&first, publish)
	removeSecond := observers.Add(&second, publish)
	removeFirst()
	removeSecond()
	// Output:
	// 1 observers
	// 2 observers
	// 1 observers
	// 0 observers
}

// Readers keep a published slice for as long as they like.
func TestAPublishedSliceNeverChanges(t *testing.T) {
	var list registry.List[int]
	var published [][]*int
	publish := func(all []*int) { published = append(published, all) }
	one, two, three := 1, 2, 3
	remove := list.Add(&one, publish)
	list.Add(&two, publish)
	remove()
	list.Add(&three, publish)
	assert.Equal(t, [][]*int{{&one}, {&one, &two}, {&two}, {&two, &three}}, published)
}

func TestARemovalCountsOnce(t *testing.T) {
	var list registry.List[int]
	calls, last := 0, 0
	publish := func(all []*int) { calls++; last = len(all) }
	entry := 1
	remove := list.Add(&entry, publish)
	list.Add(&entry, publish) // the same entry may be registered twice, and is removed at once
	remove()
	remove()
	assert.Equal(t, []int{3, 0}, []int{calls, last})
}

func TestConcurrentChangesAreAllPublished(t *testing.T) {
	var list registry.List[int]
	var last int // no lock: the calls of publish are ordered
	publish := func(all []*int) { last = len(all) }
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { list.Add(new(int), publish)() })
	}
	all.Wait()
	assert.Zero(t, last)
}
