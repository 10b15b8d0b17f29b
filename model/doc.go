// Package model defines the terms of the domain: the structs of the tables, the inputs of the
// operations with their rules, the errors and the scalars. Every package may import it. It
// imports the standard library only.
package model
