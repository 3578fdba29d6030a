// Package docs holds the documentation, and the test that keeps it true: every Go
// snippet is part of a compiled file, every output is compared with that of the
// command above it, every link leads somewhere.
package docs
