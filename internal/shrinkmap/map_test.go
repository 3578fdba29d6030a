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
	Put(&ages, "Ann", 41)
	Put(&ages, "Bob", 7)
	Delete(&ages, "Bob")
	fmt.Println(Get(&ages, "Ann"))
	fmt.Println(Get(&ages, "Bob"))
	fmt.Println(Len(&ages))
	// Output:
	// 41 true
	// 0 false
	// 1
}

func TestAMapThatWasLargeAndIsEmptyHasNoRoom(t *testing.T) {
	var m Map[int, int]
	for i := range 2 * small {
		Put(&m, i, i)
	}
	for i := range 2*small - 1 {
		Delete(&m, i)
	}
	assert.NotNil(t, m.m, "one is left")
	assert.Equal(t, map[int]int{2*small - 1: 2*small - 1}, maps.Collect(All(&m)))
	Delete(&m, 2*small-1)
	assert.Nil(t, m.m)
	Put(&m, 1, 2)
	assert.Equal(t, 1, Len(&m))
}

func TestAMapThatStaysSmallKeepsItsRoom(t *testing.T) {
	var m Map[int, int]
	Delete(&m, 1)
	Put(&m, 1, 1)
	Put(&m, 1, 2)
	Delete(&m, 1)
	assert.NotNil(t, m.m)
	for range All(&m) {
		t.Error("it is empty")
	}
}

func TestARangeOverAMapCanBeLeft(t *testing.T) {
	var m Map[int, int]
	Put(&m, 1, 1)
	Put(&m, 2, 2)
	n := 0
	for range All(&m) {
		n++
		break
	}
	assert.Equal(t, 1, n)
}
