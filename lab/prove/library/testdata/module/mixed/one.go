// Package one shares its folder.
package one
