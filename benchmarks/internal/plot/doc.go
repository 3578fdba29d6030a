// Package plot draws two kinds of pictures as SVG: dots for contenders side by
// side, and lines for how a cost grows. All scales are logarithmic: what is compared
// here differs by factors, and equal factors are then equally far apart.
//
// It is a few hundred lines because pictures of a fixed kind need no more. A
// library for plots would bring fonts and rasterisers, and its output would
// differ from version to version where this one's is compared in a test.
package plot
