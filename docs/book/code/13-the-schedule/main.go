// Command 13-the-schedule looks for the schedule in which a program fails, in three ways, and
// shrinks each failing schedule.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

//go:generate go tool movenext .

// program is a test: it starts what it needs, and returns what is wrong at the end.
type program func(ctx context.Context) *job.Job[job.Void]

// schedule is the choices of a run. Beyond its end the oldest turn is taken, choice 0.
type schedule []int

// deviations counts the choices that are not the oldest turn.
func (s schedule) deviations() (n int) {
	for _, c := range s {
		if c != 0 {
			n++
		}
	}
	return n
}

// run runs p with the choices that choose makes, and returns why it failed, or nil.
func run(p program, choose func(turns []simulation.Turn) int) error {
	s := simulation.NewWith(choose)
	j := p(s.Context(context.Background()))
	if err := s.Run(); err != nil {
		return err
	}
	_, err := j.GetResult()
	return err
}

// follow runs p under a schedule. It returns all choices that were made, and among how
// many turns each.
func follow(p program, s schedule) (made schedule, among []int, err error) {
	err = run(p, func(turns []simulation.Turn) int {
		c := 0
		if len(made) < len(s) {
			c = s[len(made)]
		}
		made, among = append(made, c), append(among, len(turns))
		return c
	})
	return made, among, err
}

// enumerate tries the schedules of p, those with few deviations first.
func enumerate(p program, most int) (tried int, failing schedule) {
	for waiting := []schedule{nil}; len(waiting) > 0 && tried < most; {
		s := waiting[0]
		waiting = waiting[1:]
		tried++
		made, among, err := follow(p, s)
		if err != nil {
			return tried, made
		}
		for at := len(s); at < len(made); at++ { // one more deviation, after the last one
			for c := 1; c < among[at]; c++ {
				waiting = append(waiting, append(slices.Clone(made[:at]), c))
			}
		}
	}
	return tried, nil
}

// wander makes each choice at random.
func wander(p program, most int) (tried int, failing schedule) {
	for tried < most {
		tried++
		dice := rand.New(rand.NewPCG(1, uint64(tried)))
		var made schedule
		err := run(p, func(turns []simulation.Turn) int {
			made = append(made, dice.IntN(len(turns)))
			return made[len(made)-1]
		})
		if err != nil {
			return tried, made
		}
	}
	return tried, nil
}

// delay gives each actor a random priority, and always lets the highest one run. At one
// random choice, the actor that would run falls behind all others.
func delay(p program, most int) (tried int, failing schedule) {
	for tried < most {
		tried++
		dice := rand.New(rand.NewPCG(2, uint64(tried)))
		priority := map[uint64]float64{}
		falls := dice.IntN(20)
		var made schedule
		err := run(p, func(turns []simulation.Turn) int {
			best := highest(turns, priority, dice)
			if len(made) == falls {
				priority[turns[best].Actor] = -1
				best = highest(turns, priority, dice)
			}
			made = append(made, best)
			return best
		})
		if err != nil {
			return tried, made
		}
	}
	return tried, nil
}

// highest returns the index of the turn whose actor has the highest priority.
func highest(turns []simulation.Turn, priority map[uint64]float64, dice *rand.Rand) (best int) {
	for i, t := range turns {
		if _, known := priority[t.Actor]; !known {
			priority[t.Actor] = dice.Float64()
		}
		if priority[t.Actor] > priority[turns[best].Actor] {
			best = i
		}
	}
	return best
}

// shrink removes each deviation without which p still fails.
func shrink(p program, s schedule) schedule {
	for at := range s {
		shorter := slices.Clone(s)
		shorter[at] = 0
		if made, _, err := follow(p, shorter); s[at] != 0 && err != nil && made.deviations() < s.deviations() {
			s = shorter
		}
	}
	return s
}

// --- Programs with a bug ---------------------------------------------------------

// shop sells what it has in stock.
type shop struct{ stock, sold int }

//movenext:async
func (s *shop) buy() {
	if s.stock == 0 {
		return
	}
	job.Yield() // the payment
	s.stock--
	s.sold++
}

// oversell has two customers for one item.
//
//movenext:async
func oversell(ctx context.Context) error {
	s := &shop{stock: 1}
	a := job.Go(ctx, func(context.Context) error { s.buy(); return nil })
	b := job.Go(ctx, func(context.Context) error { s.buy(); return nil })
	_, _ = a.Await()
	_, _ = b.Await()
	if s.sold > 1 {
		return errors.New("sold twice")
	}
	return nil
}

// dine takes one fork and then the other.
//
//movenext:async
func dine(ctx context.Context, left, right *coord.Mutex) error {
	if err := left.Lock(ctx); err != nil {
		return err
	}
	defer left.Unlock()
	job.Yield()
	if err := right.Lock(ctx); err != nil {
		return err
	}
	right.Unlock()
	return nil
}

// forks lie between the philosophers.
type forks [3]coord.Mutex

// philosophers is a table of three. The last one sits down when the others have begun.
//
//movenext:async
func philosophers(ctx context.Context) error {
	var forks forks
	a := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[0], &forks[1]) })
	b := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[1], &forks[2]) })
	for range 4 {
		job.Yield()
	}
	c := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[2], &forks[0]) })
	_, first := a.Await()
	_, second := b.Await()
	_, third := c.Await()
	return errors.Join(first, second, third)
}

// count takes steps, and counts them.
//
//movenext:async
func count(steps int, done *int) {
	for range steps {
		job.Yield()
		*done++
	}
}

// overtaken fails if one machine takes fifteen steps while another waits for one.
//
//movenext:async
func overtaken(ctx context.Context) error {
	done, before, after := 0, 0, 0
	runner := job.Go(ctx, func(context.Context) error { count(20, &done); return nil })
	walker := job.Go(ctx, func(context.Context) error {
		before = done
		job.Yield()
		after = done
		return nil
	})
	_, _ = runner.Await()
	_, _ = walker.Await()
	if after-before >= 15 {
		return errors.New("overtaken")
	}
	return nil
}

func main() {
	const most = 5000
	searches := []func(program, int) (int, schedule){wander, enumerate, delay}
	programs := []struct {
		name string
		program
	}{{"oversell", oversellAsync}, {"philosophers", philosophersAsync}, {"overtaken", overtakenAsync}}
	fmt.Println("schedules until the bug is found, and deviations before and after shrinking")
	fmt.Println("                    random    few deviations             delay")
	for _, p := range programs {
		fmt.Printf("%-12s", p.name)
		for _, search := range searches {
			tried, found := search(p.program, most)
			if found == nil {
				fmt.Printf("%18s", "not found")
				continue
			}
			fmt.Printf("%9d (%2d, %2d)", tried, found.deviations(), shrink(p.program, found).deviations())
		}
		fmt.Println()
	}
}
