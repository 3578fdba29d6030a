package main

import (
	"context"
	"slices"
	"sync"
)

// member is a person in a room.
type member struct {
	*socket
	name string
}

// room is the set of members that a message reaches.
type room struct {
	mu      sync.Mutex
	members []*member // in the order in which they came; a change makes another list
}

// maxNames is how many names a new member receives.
const maxNames = 50

// join puts m into a room, notifies the others, and returns the room.
func (c *chat) join(ctx context.Context, name string, m *member) *room {
	c.mu.Lock()
	r := c.rooms[name]
	if r == nil {
		r = &room{}
		c.rooms[name] = r
	}
	r.mu.Lock()
	c.mu.Unlock()
	r.members = append(slices.Clip(r.members), m)
	here := event{Kind: "here", Name: m.name, Count: len(r.members)}
	for _, other := range r.members[:min(maxNames, len(r.members))] {
		here.Names = append(here.Names, other.name)
	}
	r.mu.Unlock()
	m.sendBytes(ctx, here.frame(), false)
	r.tell(ctx, event{Kind: "joined", Name: m.name, Count: here.Count}, m)
	return r
}

// leave takes m out of its room and notifies the others. An empty room is removed.
func (c *chat) leave(ctx context.Context, name string, r *room, m *member) {
	c.mu.Lock()
	r.mu.Lock()
	r.members = slices.DeleteFunc(slices.Clone(r.members), func(other *member) bool { return other == m })
	count := len(r.members)
	if count == 0 {
		delete(c.rooms, name)
	}
	r.mu.Unlock()
	c.mu.Unlock()
	r.tell(ctx, event{Kind: "left", Name: m.name, Count: count})
}

// tell sends an event to all members except those of except. The frame is made once, and its bytes
// are shared. It holds no lock meanwhile, and waits for no member.
func (r *room) tell(ctx context.Context, e event, except ...*member) {
	frame := e.frame()
	for _, m := range r.all() {
		if !slices.Contains(except, m) {
			m.sendBytes(ctx, frame, false)
		}
	}
}

// all returns the members, in a list that does not change.
func (r *room) all() []*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members
}
