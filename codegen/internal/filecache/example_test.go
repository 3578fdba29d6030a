package filecache_test

import (
	"crypto/sha256"
	"fmt"
	"os"

	"github.com/movenext/movenext/codegen/internal/filecache"
)

func Example() {
	folder, err := os.MkdirTemp("", "cache")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cache := filecache.Open(folder)
	key := filecache.Key(sha256.Sum256([]byte("everything that the result depends on")))
	if err := cache.Put(key, []byte("the result")); err != nil {
		fmt.Println(err)
		return
	}
	value, ok := cache.Get(key)
	fmt.Println(string(value), ok)
	// Output: the result true
}
