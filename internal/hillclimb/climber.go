package hillclimb

import (
	"math"
	"time"
)

const (
	// Period is the length of the wave in samples: half of them above the goal, half of
	// them at the goal.
	Period = 4
	// History is the number of periods that are analysed.
	History = 8
	// Bias is the elasticity that one more worker must show to be worth its cost.
	Bias = 0.15
	// MaxStep is the largest number of workers by which the goal moves in one sample.
	MaxStep = 4
	// MaxWave is the greatest height of the wave, in workers.
	MaxWave = 20

	trustedRatio = 3.0 // the size of a response that is fully trusted, in units of the noise
)

// Sample is an observation of one interval.
type Sample struct {
	Workers   int // running on average
	Completed int // work items that ended
	Elapsed   time.Duration
}

// Throughput returns the number of work items completed per second.
func (s Sample) Throughput() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Completed) / s.Elapsed.Seconds()
}

// Climber decides how many workers should run. It is not safe for concurrent use.
type Climber struct {
	minWorkers, maxWorkers int

	goal    float64 // a fraction is a part of a worker that remains to be added or removed
	height  int     // of the wave
	count   int     // samples since the last start of a wave
	samples []Sample
}

// New returns a climber whose goal begins at minWorkers, and stays between minWorkers and
// maxWorkers.
func New(minWorkers, maxWorkers int) *Climber {
	c := &Climber{height: 1}
	c.Confine(minWorkers, maxWorkers)
	return c
}

// Confine changes the bounds.
func (c *Climber) Confine(minWorkers, maxWorkers int) {
	c.minWorkers, c.maxWorkers = minWorkers, max(minWorkers, maxWorkers)
	c.goal = c.clamp(c.goal)
}

// Force moves the goal, after the number of workers was changed from outside. Earlier
// samples are dropped, since the jump is not part of the wave.
func (c *Climber) Force(workers int) {
	c.goal = c.clamp(float64(workers))
	c.samples, c.count = c.samples[:0], 0
}

// Goal returns the number of workers around which the wave swings.
func (c *Climber) Goal() int { return int(c.clamp(math.Round(c.goal))) }

// Next takes the sample of the interval that has passed, and returns how many workers
// should run in the next one.
func (c *Climber) Next(s Sample) (workers int) {
	c.samples = append(c.samples, s)
	if surplus := len(c.samples) - Period*History; surplus > 0 {
		c.samples = append(c.samples[:0], c.samples[surplus:]...)
	}
	c.count++
	if whole := len(c.samples) / Period * Period; whole >= 2*Period {
		c.step(measureResponse(c.samples[len(c.samples)-whole:]))
	}
	up := 0
	if c.count%Period < Period/2 {
		up = c.height
	}
	return int(c.clamp(float64(c.Goal() + up)))
}

// step moves the goal according to the response.
func (c *Climber) step(h response) {
	c.height = int(min(max(1, math.Round(h.noise*c.goal*trustedRatio/2)), MaxWave))
	if h.wave == 0 {
		return // the number of workers did not swing: too little work, or a bound
	}
	worth := h.elasticity - Bias
	trust := min(1, math.Abs(h.elasticity)*h.wave/(trustedRatio*max(h.noise, 1e-3)))
	if h.elasticity < Bias && h.elasticity > -Bias {
		// If the wave is high enough to be noticed, a missing response also shows something:
		// the workers are not needed.
		trust = min(1, h.wave/(trustedRatio*max(h.noise, 1e-3)))
	}
	move := math.Copysign(worth*worth, worth) * trust * max(1, c.goal/8)
	c.goal = c.clamp(c.goal + min(max(move, -MaxStep), MaxStep))
}

func (c *Climber) clamp(n float64) float64 {
	return min(max(n, float64(c.minWorkers)), float64(c.maxWorkers))
}
