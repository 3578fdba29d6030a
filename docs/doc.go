// Package docs holds the documentation, and the test that keeps it true: every Go
// snippet is part of a file that is compiled, every output is compared with that of the command
// named above it, every link leads somewhere.
package docs
