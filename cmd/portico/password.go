package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fromInput is the value of a password flag that means standard input.
const fromInput = "-"

// maxPasswordLine is the maximum number of bytes that are read. Package auth refuses much
// shorter passwords already.
const maxPasswordLine = 64 << 10

// readPassword returns the password of a flag: the flag itself, or the first line of in for
// fromInput.
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
		return "", errors.New("the first line of standard input is empty: it must be the password")
	}
	return password, nil
}
