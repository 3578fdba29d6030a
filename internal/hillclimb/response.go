package hillclimb

import (
	"math"
	"math/cmplx"
)

// response is how the throughput follows the wave of workers.
type response struct {
	wave       float64 // the amplitude of the wave, relative to the mean number of workers
	elasticity float64 // relative change of throughput per relative change of workers
	noise      float64 // relative amplitude at the neighbouring frequencies
}

// measureResponse searches samples for the wave of the workers. Their number is a multiple of
// the period.
func measureResponse(samples []Sample) response {
	n := len(samples)
	workers, throughput := make([]float64, n), make([]float64, n)
	for i, s := range samples {
		workers[i], throughput[i] = float64(s.Workers), s.Throughput()
	}
	if !normalize(workers) || !normalize(throughput) {
		return response{}
	}
	periods := n / Period
	wave, answer := amplitude(workers, periods), amplitude(throughput, periods)
	e := response{noise: max(
		cmplx.Abs(amplitude(throughput, periods-1)),
		cmplx.Abs(amplitude(throughput, periods+1)),
	)}
	if size := cmplx.Abs(wave); size > 1e-9 {
		e.wave, e.elasticity = size, real(answer/wave)
	}
	return e
}

// normalize makes s relative to its mean, or returns false if that is zero.
func normalize(s []float64) bool {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	mean := sum / float64(len(s))
	if mean <= 0 {
		return false
	}
	for i := range s {
		s[i] = s[i]/mean - 1
	}
	return true
}

// amplitude returns the amplitude and phase of the component of s that completes the given
// number of cycles in its length.
func amplitude(s []float64, cycles int) complex128 {
	rotation := cmplx.Exp(complex(0, -2*math.Pi*float64(cycles)/float64(len(s))))
	sum, at := complex(0, 0), complex(1, 0)
	for _, v := range s {
		sum += complex(v, 0) * at
		at *= rotation
	}
	return sum * complex(2/float64(len(s)), 0)
}
