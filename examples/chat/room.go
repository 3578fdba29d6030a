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
	members map[*member]struct{}
	list    []*member // of members, or nil if it is not up to date; never changed
}

// maxNames is how many names a new member receives.
const maxNames = 50

// join puts m into a room, notifies the others, and returns the room.
func (c *chat) join(ctx context.Context, name string, m *member) *room {
	c.mu.Lock()
	r := c.rooms[name]
	if r == nil {
		r = &room{members: map[*member]struct{}{}}
		c.rooms[name] = r
	}
	r.mu.Lock()
	c.mu.Unlock()
	r.members[m] = struct{}{}
	r.list = nil
	here := event{Kind: "here", Name: m.name, Count: len(r.members)}
	for other := range r.members {
		if len(here.Names) == maxNames {
			break
		}
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
	delete(r.members, m)
	r.list = nil
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
	if r.list == nil {
		r.list = make([]*member, 0, len(r.members))
		for m := range r.members {
			r.list = append(r.list, m)
		}
	}
	return r.list
}
