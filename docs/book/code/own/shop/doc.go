// Package shop is a program in the language of step 7 of "Build your own". The generator in folder
// toy has written its functions from shop.toy, each in two forms.
package shop
