// Package hillclimb finds the number of workers with the highest throughput by experiment.
//
// # The easy idea, and why it fails
//
// Add a worker; if throughput rises, add another, else take it back. But throughput
// changes all the time for reasons that have nothing to do with the number of workers:
// the work is of another kind, the disk is slow, another program runs. A climber that
// takes each change for its own effect walks at random.
//
// # A wave
//
// So the number of workers is made to swing, up by a few and back again, with a fixed
// period, and throughput is searched for a response: a swing of the same period. Changes that
// have other causes occur at other frequencies, and count as noise.
//
//	workers      ▔▔▁▁▔▔▁▁▔▔▁▁      the wave: half a period up, half a period at the goal
//	throughput   ▔▚▁▁▔▔▚▁▔▚▁▁      rises with it: more workers are better
//	             ▁▁▔▚▁▁▔▔▁▁▔▚      falls when it rises: fewer are better
//	             ▚▁▁▔▚▔▁▁▔▚▁▔      does something else: unclear, stay
//
// The amplitude of a series at one frequency is one term of its Fourier transform
// (computed with Goertzel's algorithm, without the other terms). The quotient of
// the two series' terms is a complex number. Its real part is the relative change
// of throughput for a relative change of workers. The imaginary part is out of phase with
// the wave, and so no response.
//
// # A step
//
// Let e be the elasticity: the percentage by which throughput rises if the number
// of workers rises by one per cent. One more worker costs memory and switching,
// so e has to be above [Bias] to be worth it: the step has the sign of e minus
// Bias. Its size grows with the square of that difference, is scaled by how far
// the response exceeds the noise, and is bounded by [MaxStep]. If the noise is
// stronger, the wave is made higher, so that the response stands out.
//
// # Replay
//
// A [Climber] has no clock, no random numbers and no lock: its decisions are a function of
// its samples. So if a climber has behaved strangely, its trace can be replayed with a new
// one.
//
// The idea, the wave and the numbers are those of .NET's thread pool (Hellerstein,
// Morrison, Eilebrecht: "Optimizing concurrency levels in the .NET ThreadPool", 2008).
package hillclimb
