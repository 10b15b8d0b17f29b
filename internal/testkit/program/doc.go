// Package program builds portico, starts it like an operator, and watches its processes. Only tests
// and trials that need the real program use it.
package program
