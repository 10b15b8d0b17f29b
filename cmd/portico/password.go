package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fromInput stands for a password that is on standard input.
const fromInput = "-"

// maxPasswordLine bounds what is read, in bytes; package auth refuses passwords of a
// fraction of it.
const maxPasswordLine = 64 << 10

// readPassword returns the password of a flag. It is the first line of in, whose end
// may be missing, where the flag says so.
func readPassword(flag string, in io.Reader) (string, error) {
	if flag != fromInput {
		return flag, nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", errors.New("standard input has no password in its first line")
	}
	return password, nil
}
