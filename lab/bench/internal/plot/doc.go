// Package plot draws two kinds of pictures as SVG: dots for contenders side by side, and
// lines for how a cost grows. All scales are logarithmic: the compared values differ by
// factors, and equal factors are then equally far apart.
//
// It is a few hundred lines long, since pictures of a fixed kind need no more. A plotting library
// would bring fonts and rasterisers, and its output would change from version to version, while a
// test compares this package's output.
package plot
