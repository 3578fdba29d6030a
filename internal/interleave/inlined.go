//go:build !interleave

package interleave

// inlined is never called. The compiler exports the bodies of another package's functions
// to the importers of this package only if it has inlined them here. Without inlined, each
// atomic operation behind an alias would be a call in packages that do not import
// sync/atomic themselves.
var _ = inlined

func inlined(m *Mutex, b *Bool, i *Int32, j *Int64, u *Uint32, v *Uint64) bool {
	m.Lock()
	m.TryLock()
	m.Unlock()

	b.Store(b.Load() || b.Swap(true))

	i.Store(i.Load() + i.Add(1) + i.And(1) + i.Or(1) + i.Swap(1))
	j.Store(j.Load() + j.Add(1) + j.And(1) + j.Or(1) + j.Swap(1))
	u.Store(u.Load() + u.Add(1) + u.And(1) + u.Or(1) + u.Swap(1))
	v.Store(v.Load() + v.Add(1) + v.And(1) + v.Or(1) + v.Swap(1))

	return b.CompareAndSwap(true, false) ||
		i.CompareAndSwap(0, 1) || j.CompareAndSwap(0, 1) || u.CompareAndSwap(0, 1) || v.CompareAndSwap(0, 1)
}
