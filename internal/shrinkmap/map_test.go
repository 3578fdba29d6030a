package shrinkmap

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	var ages Map[string, int]
	ages.Put("Ann", 41)
	ages.Put("Bob", 7)
	ages.Delete("Bob")
	fmt.Println(ages.Get("Ann"))
	fmt.Println(ages.Get("Bob"))
	fmt.Println(ages.Len())
	// Output:
	// 41 true
	// 0 false
	// 1
}

func TestAMapThatWasLargeAndIsEmptyHasNoRoom(t *testing.T) {
	var m Map[int, int]
	for i := range 2 * small {
		m.Put(i, i)
	}
	for i := range 2*small - 1 {
		m.Delete(i)
	}
	assert.NotNil(t, m.m, "one is left")
	assert.Equal(t, map[int]int{2*small - 1: 2*small - 1}, maps.Collect(m.All()))
	m.Delete(2*small - 1)
	assert.Nil(t, m.m)
	m.Put(1, 2)
	assert.Equal(t, 1, m.Len())
}

func TestAMapThatStaysSmallKeepsItsRoom(t *testing.T) {
	var m Map[int, int]
	m.Delete(1)
	m.Put(1, 1)
	m.Put(1, 2)
	m.Delete(1)
	assert.NotNil(t, m.m)
	for range m.All() {
		t.Error("it is empty")
	}
}

func TestARangeOverAMapCanBeLeft(t *testing.T) {
	var m Map[int, int]
	m.Put(1, 1)
	m.Put(2, 2)
	n := 0
	for range m.All() {
		n++
		break
	}
	assert.Equal(t, 1, n)
}
