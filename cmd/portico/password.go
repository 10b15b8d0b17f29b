package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portico/auth"
)

// fromInput stands for a password that is on standard input.
const fromInput = "-"

// hashPassword returns the hash of a password as the sign-in page wants it, or ""
// for none.
func hashPassword(ctx context.Context, password string, in io.Reader) (string, error) {
	if password == "" {
		return "", nil
	}
	if password == fromInput {
		var err error
		if password, err = readPassword(in); err != nil {
			return "", err
		}
	}
	return auth.NewPasswords().Hash(ctx, password)
}

// readPassword reads one line; its end may be missing.
func readPassword(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, auth.MostPassword+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
