// Package command is the main function of the commands in internal/trial.
package command
