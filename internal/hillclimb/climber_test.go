package hillclimb

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mountain is throughput as a function of the number of workers.
type mountain func(workers float64) float64

func peak(at float64) mountain {
	return func(n float64) float64 { return 1000 * n / (1 + n/at*n/at) }
}

func flat(float64) float64 { return 1000 }

func endless(n float64) float64 { return 100 * n }

// climb runs c for the given number of samples, with noise, and returns the goals of the
// last quarter.
func climb(c *Climber, m mountain, noise float64, samples int) (goals []int) {
	random := rand.New(rand.NewPCG(1, 2))
	n := c.Goal()
	for i := range samples {
		rate := m(float64(n)) * (1 + noise*(2*random.Float64()-1))
		n = c.Next(Sample{Workers: n, Completed: int(rate / 10), Elapsed: time.Second / 10})
		if i >= samples*3/4 {
			goals = append(goals, c.Goal())
		}
	}
	return goals
}

func mean(s []int) float64 {
	sum := 0
	for _, v := range s {
		sum += v
	}
	return float64(sum) / float64(len(s))
}

func TestItClimbsToThePeakAndStaysThere(t *testing.T) {
	for _, noise := range []float64{0, 0.02, 0.1} {
		for _, at := range []float64{8, 20, 60} {
			c := New(2, 500)
			found := mean(climb(c, peak(at), noise, 2_000))
			best := peak(at)(at)
			assert.GreaterOrEqual(t, peak(at)(found), 0.85*best, "noise %v, peak at %v: stays at %v", noise, at, found)
			assert.Less(t, found, 1.4*at, "noise %v, peak at %v", noise, at)
		}
	}
}

func TestItComesDownFromTooMany(t *testing.T) {
	c := New(2, 500)
	c.Force(200)
	found := mean(climb(c, peak(20), 0.02, 2_000))
	assert.InDelta(t, 20, found, 12)
}

func TestWhereWorkersMakeNoDifferenceThereAreFew(t *testing.T) {
	c := New(4, 100)
	c.Force(30)
	assert.Less(t, mean(climb(c, flat, 0.02, 2_000)), 8.0)
}

func TestItStaysWithinItsBounds(t *testing.T) {
	c := New(3, 17)
	for i, n := 0, 3; i < 1_000; i++ {
		n = c.Next(Sample{Workers: n, Completed: int(endless(float64(n))), Elapsed: time.Second})
		assert.LessOrEqual(t, 3, n)
		assert.GreaterOrEqual(t, 17, n)
	}
	assert.GreaterOrEqual(t, c.Goal(), 14)
	c.Confine(1, 5)
	assert.Equal(t, 5, c.Goal())
	c.Confine(9, 1)
	assert.Equal(t, 9, c.Goal(), "a most below least is raised to it")
}

func TestSamplesWithoutWorkMoveNothing(t *testing.T) {
	c := New(4, 100)
	c.Force(30)
	for range 100 {
		c.Next(Sample{Workers: 30, Elapsed: time.Second})
	}
	assert.Equal(t, 30, c.Goal())
	assert.Zero(t, Sample{Completed: 1}.Throughput())
}

func TestTheSameSamplesMakeTheSameDecisions(t *testing.T) {
	one, two := New(2, 500), New(2, 500)
	assert.Equal(t, climb(one, peak(20), 0.1, 500), climb(two, peak(20), 0.1, 500))
}

func TestTheEchoIsHeardInNoiseAndOnlyAtItsFrequency(t *testing.T) {
	var rising, falling, other []Sample
	for i := range Period * History {
		n, slow := 10, 1000+int(200*math.Sin(float64(i)/5))
		if i%Period < Period/2 {
			n = 12
		}
		rising = append(rising, Sample{n, slow + 100*(n-10), time.Second})
		falling = append(falling, Sample{n, slow - 100*(n-10), time.Second})
		other = append(other, Sample{n, slow, time.Second})
	}
	assert.Greater(t, measureResponse(rising).elasticity, 0.5)
	assert.Less(t, measureResponse(falling).elasticity, -0.5)
	assert.InDelta(t, 0, measureResponse(other).elasticity, 0.2)
	assert.Greater(t, measureResponse(other).noise, 0.0)
}
