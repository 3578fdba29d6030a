package coord

import (
	"sync"
	"testing"
)

func BenchmarkMutex(b *testing.B) {
	b.Run("free/plain", func(b *testing.B) {
		var m Mutex
		b.ReportAllocs()
		for b.Loop() {
			_ = m.Lock(endless)
			m.Unlock()
		}
	})
	b.Run("free/async", func(b *testing.B) {
		var m Mutex
		b.ReportAllocs()
		for b.Loop() {
			_, _ = m.LockAsync(endless).Await()
			m.Unlock()
		}
	})
	b.Run("handover/async", func(b *testing.B) {
		var m Mutex
		m.TryLock()
		b.ReportAllocs()
		for b.Loop() {
			m.LockAsync(endless)
			m.Unlock()
		}
	})
	b.Run("free/sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		for b.Loop() {
			m.Lock()
			m.Unlock() //nolint:staticcheck // the pair is measured
		}
	})
}

func BenchmarkSemaphore(b *testing.B) {
	s := NewSemaphore(2)
	b.ReportAllocs()
	for b.Loop() {
		_ = s.Acquire(endless, 2)
		s.Release(2)
	}
}

func BenchmarkChannel(b *testing.B) {
	b.Run("buffered", func(b *testing.B) {
		c := NewBounded[int](1, WaitForRoom)
		b.ReportAllocs()
		for b.Loop() {
			_ = c.Send(endless, 1)
			_, _ = c.Receive(endless)
		}
	})
	b.Run("handover/async", func(b *testing.B) {
		c := NewRendezvous[int]()
		b.ReportAllocs()
		for b.Loop() {
			j := c.ReceiveAsync(endless)
			_ = c.TrySend(1)
			_, _ = j.GetResult()
		}
	})
	b.Run("buffered/go", func(b *testing.B) {
		c := make(chan int, 1)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
}
