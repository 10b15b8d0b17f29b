package auth

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go/data"
)

// commonPasswords are the passwords that guessers try first. The list is read
// at the first question. The zero value is not ready.
type commonPasswords struct {
	list func() (map[string]bool, error) // in lower case
}

func newCommonPasswords() commonPasswords {
	return commonPasswords{sync.OnceValues(readCommonPasswords)}
}

func readCommonPasswords() (map[string]bool, error) {
	text, err := data.Asset("data/Passwords.json")
	if err != nil {
		return nil, fmt.Errorf("read the list of common passwords: %w", err)
	}
	var listed struct{ List []string }
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("read the list of common passwords: %w", err)
	}
	list := make(map[string]bool, len(listed.List))
	for _, password := range listed.List {
		list[password] = true
	}
	list["portico"] = true // the name of what it opens (NIST SP 800-63B section 5.1.1.2)
	return list, nil
}

// contains reports whether the password is one character repeated, or is on the
// list as it stands or in one of the disguises that guessers know: upper case,
// digits for letters, and a few characters appended.
func (c commonPasswords) contains(password string) (bool, error) {
	list, err := c.list()
	if err != nil {
		return false, err
	}
	lower := strings.ToLower(strings.TrimSpace(password))
	plain := strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "0", "o", "$", "s", "5", "s").Replace(lower)
	for _, word := range []string{lower, plain} {
		if list[word] {
			return true, nil
		}
	}
	stem := withoutTail(lower)
	return isOneCharacter(lower) || list[stem] || list[plain[:len(stem)]], nil
}

// maxTail is how many characters are taken for appended: "2026", "123!".
const maxTail = 4

// withoutTail returns the word without the digits and signs at its end, at most
// maxTail of them.
func withoutTail(word string) string {
	for range maxTail {
		last, size := utf8.DecodeLastRuneInString(word)
		if unicode.IsLetter(last) {
			break
		}
		word = word[:len(word)-size]
	}
	return word
}

func isOneCharacter(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return strings.Trim(word, string(first)) == ""
}
