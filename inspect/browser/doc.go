// Package browser tests the pages of package inspect and of package inspect/record in a
// real browser, a Chromium without a window. It is a module of its own, so that programs
// do not download what drives the browser.
//
// The pictures in docs are made by these tests: the variables INSPECT_PICTURE and
// SCHEDULE_PICTURE of the environment name the files to write.
package browser
