// Package explain draws what the generator made of a function: as text, as a diagram
// for Mermaid or Graphviz, and as a page for a browser, with the source on the left and
// the machine on the right. It is what `movenext explain` prints.
//
// A machine is drawn as its suspension points and the ways between them. What a
// reader wants to see at a point is what waits there: which fields of the frame
// are needed when it continues, and how many bytes they are. The page adds a
// recording of one run (see [ReadRecording]), to be stepped through: the line of
// the source and the state of the machine are highlighted together.
package explain
