// Package explain draws the machines that the generator makes of functions: as text, as a
// diagram for Mermaid or Graphviz, and as a page for a browser, with the source on the left and
// the machine on the right. It is the output of `movenext explain`.
//
// A drawing shows a machine's suspension points and the paths between them. At each point it
// shows what is kept there: which fields of the frame are needed when the function continues,
// and how many bytes they take. The page can also step through a recording of one run (see
// [ReadRecording]): it highlights the source line and the state of the machine together.
package explain
