// Package refused has an annotation that cannot be meant.
package refused

//movenext:async
func init() {}
