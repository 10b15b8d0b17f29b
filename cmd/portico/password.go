package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fromStdin is the value of a password flag that selects standard input.
const fromStdin = "-"

// maxPasswordLine limits how many bytes are read from standard input. Package auth refuses
// passwords that are much shorter than this.
const maxPasswordLine = 64 << 10

// readPassword returns the value of a password flag, or the first line of in if the value is
// fromStdin.
func readPassword(flag string, in io.Reader) (string, error) {
	if flag != fromStdin {
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
