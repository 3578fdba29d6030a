// Package hillclimb finds the number of workers that gets the most work done, by trying.
//
// # The easy idea, and why it fails
//
// Add a worker; if throughput rises, add another, else take it back. Throughput, however, changes all the time for reasons
// that have nothing to do with the number of workers: the work is of another kind, the disk is slow, another
// program runs. A climber that believes each change to be its own doing walks at random.
//
// # A wave
//
// So the number of workers is made to swing, a few up and back again, with a fixed period, and throughput is
// searched for an echo: a swing of the same period. What changes for other reasons does so at other
// frequencies, and is heard beside the echo, as noise.
//
//	workers      ▔▔▁▁▔▔▁▁▔▔▁▁      the wave: half a period up, half a period at the goal
//	throughput   ▔▚▁▁▔▔▚▁▔▚▁▁      rises with it: more workers are better
//	             ▁▁▔▚▁▁▔▔▁▁▔▚      falls when it rises: fewer are better
//	             ▚▁▁▔▚▔▁▁▔▚▁▔      does something else: nobody knows, stay
//
// The amplitude of a series at one frequency is one term of its Fourier transform (computed as Goertzel does, without the
// others). The quotient of both series' terms is a complex number: its real part says by how much of itself
// throughput changes for a worker more, the imaginary part is what comes too late to be an echo.
//
// # A step
//
// Let e be the elasticity: by how many hundredths throughput rises if the workers become one
// hundredth more. A worker more costs memory and switching, so e has to be above [Bias] to be worth it: the
// step has the sign of e minus Bias. Its size grows with the square of that, is scaled by how far the echo
// stands out of the noise, and is bounded by [MaxStep]. Where the noise is louder, the wave is made higher, so that it can
// be heard.
//
// # Replay
//
// A [Climber] has no clock, no random numbers and no lock: its decisions are a function of the samples that it is given. So the trace of one
// that has done something strange, given to a new one, shows how it came to it.
//
// The idea, the wave and the numbers are those of .NET's thread pool (Hellerstein, Morrison, Eilebrecht: "Optimizing
// concurrency levels in the .NET ThreadPool", 2008).
package hillclimb
