// Package model holds the words of the domain: the structs of the tables, the
// inputs of the operations with their rules, the errors and the scalars. Every
// package may use it; it uses none of ours and nothing but the standard
// library.
package model
