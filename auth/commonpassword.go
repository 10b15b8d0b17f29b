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

// commonPasswords are the passwords that attackers try first. The list is read on first use.
// The zero value is not ready.
type commonPasswords struct {
	list func() (map[string]bool, error) // in lower case
}

func newCommonPasswords() commonPasswords {
	return commonPasswords{sync.OnceValues(readCommonPasswords)}
}

// readCommonPasswords returns the list of zxcvbn, whose data is compiled in.
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
	list["portico"] = true // the name of the service (NIST SP 800-63B section 5.1.1.2)
	return list, nil
}

// contains reports whether the password is one character repeated, or is on the list,
// unchanged or in a variation that attackers know: upper case, digits for letters, and a
// few characters appended.
//
// NIST SP 800-63B asks for the comparison and advises against rules about digits and signs.
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
	// The replacements keep the length, so the stem has the same length in plain.
	stem := withoutTail(lower)
	return isOneCharacter(lower) || list[stem] || list[plain[:len(stem)]], nil
}

// maxTail is the maximum number of appended characters: "2026", "123!".
const maxTail = 4

// withoutTail returns the word without up to maxTail digits and signs at its end.
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

// isOneCharacter reports whether the word repeats a single character.
func isOneCharacter(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return strings.Trim(word, string(first)) == ""
}
