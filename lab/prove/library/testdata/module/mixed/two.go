// Package two shares its folder.
package two
