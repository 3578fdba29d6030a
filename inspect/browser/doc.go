// Package browser tests the pages of packages inspect and inspect/record in a real browser, a
// headless Chromium. It is a module of its own, so that programs do not download the browser's
// driver.
//
// These tests also make the pictures in docs: the environment variables INSPECT_PICTURE and
// SCHEDULE_PICTURE name the files to write.
package browser
