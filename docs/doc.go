// Package docs holds the documentation, and the tests that keep it true: every Go snippet is part
// of a compiled file, every output is compared with that of the command above it, and every link
// has a target.
package docs
