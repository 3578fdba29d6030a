package hillclimb

import (
	"math"
	"time"
)

const (
	// Period is the length of the wave in samples: half of them up, half of them at the goal.
	Period = 4
	// History is how many periods are listened to.
	History = 8
	// Bias is the elasticity that a worker more must show to be worth its cost.
	Bias = 0.15
	// MaxStep is by how many workers the goal moves at most in a sample.
	MaxStep = 4
	// MaxWave is how high the wave is at most, in workers.
	MaxWave = 20

	wanted = 3.0 // the echo that is believed without a doubt, in units of the noise
)

// Sample is what was observed in an interval.
type Sample struct {
	Workers   int // that ran, on the average
	Completed int // works that ended
	Elapsed   time.Duration
}

// Throughput returns works a second.
func (s Sample) Throughput() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Completed) / s.Elapsed.Seconds()
}

// Climber decides how many workers there should be. It is not safe for concurrent use.
type Climber struct {
	least, most int

	goal    float64 // a fraction of a worker is a step that has not been made yet
	height  int     // of the wave
	count   int     // samples since the last start of a wave
	samples []Sample
}

// New returns a climber that begins at least, and never leaves least to most.
func New(least, most int) *Climber {
	c := &Climber{height: 1}
	c.Confine(least, most)
	return c
}

// Confine changes the bounds.
func (c *Climber) Confine(least, most int) {
	c.least, c.most = least, max(least, most)
	c.goal = c.within(c.goal)
}

// Force moves the goal there: somebody else has changed the number of workers. What was heard so far is forgotten, since
// the jump is no wave.
func (c *Climber) Force(workers int) {
	c.goal = c.within(float64(workers))
	c.samples, c.count = c.samples[:0], 0
}

// Goal returns the number of workers around which the wave swings.
func (c *Climber) Goal() int { return int(c.within(math.Round(c.goal))) }

// Next takes the sample of the interval that has passed, and returns how many workers there should be in the next one.
func (c *Climber) Next(s Sample) (workers int) {
	c.samples = append(c.samples, s)
	if surplus := len(c.samples) - Period*History; surplus > 0 {
		c.samples = append(c.samples[:0], c.samples[surplus:]...)
	}
	c.count++
	if whole := len(c.samples) / Period * Period; whole >= 2*Period {
		c.step(listen(c.samples[len(c.samples)-whole:]))
	}
	up := 0
	if c.count%Period < Period/2 {
		up = c.height
	}
	return int(c.within(float64(c.Goal() + up)))
}

// step moves the goal by what was heard.
func (c *Climber) step(h echo) {
	c.height = int(min(max(1, math.Round(h.noise*c.goal*wanted/2)), MaxWave))
	if h.wave == 0 {
		return // the number of workers did not swing: work was too little, or bounds hold it
	}
	worth := h.elasticity - Bias
	trust := min(1, math.Abs(h.elasticity)*h.wave/(wanted*max(h.noise, 1e-3)))
	if h.elasticity < Bias && h.elasticity > -Bias {
		// No echo is an answer too where the wave is high enough to be heard: the workers are not needed.
		trust = min(1, h.wave/(wanted*max(h.noise, 1e-3)))
	}
	move := math.Copysign(worth*worth, worth) * trust * max(1, c.goal/8)
	c.goal = c.within(c.goal + min(max(move, -MaxStep), MaxStep))
}

func (c *Climber) within(n float64) float64 {
	return min(max(n, float64(c.least)), float64(c.most))
}
