package codegen

// dispatch is a switch or select that decides where to continue.
type dispatch struct {
	head    rope
	clauses []clause
	whole   bool // one of the clauses is always taken
}

type clause struct {
	head  rope
	code  []instr // before the jump
	to    *label  // nil: the body stays
	body  []*span
	stops bool // the body does not end normally
}

func (d *dispatch) refs(use, _ func(*variable)) {
	d.head.uses(use)
	for _, c := range d.clauses {
		c.head.uses(use)
		for _, i := range c.code {
			i.refs(use, use)
		}
		for _, s := range c.body {
			s.uses(use)
		}
	}
}

func (d *dispatch) targets() []*label {
	var list []*label
	for _, c := range d.clauses {
		if c.to != nil {
			list = append(list, c.to)
		}
		for _, s := range c.body {
			list = append(list, s.jumps()...)
		}
	}
	return list
}

func (d *dispatch) falls() bool {
	for _, c := range d.clauses {
		if c.to == nil && !c.stops {
			return true
		}
	}
	return !d.whole
}

func (d *dispatch) borrows(f func(*variable)) {
	d.head.borrows(f)
	for _, c := range d.clauses {
		c.head.borrows(f)
		for _, s := range c.body {
			s.borrows(f)
		}
	}
}
