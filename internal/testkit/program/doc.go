// Package program builds portico, starts it as an operator does, and follows its
// processes. Tests and trials that need the real program use it; nothing else does.
package program
