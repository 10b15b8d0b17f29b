package auth_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/auth"
	"portico/model"
)

func TestHash_refuses_passwords_that_are_easy_to_guess(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, password string
		want           model.Code
	}{
		{"long_enough", "8 letter", ""},
		{"counted_in_characters", "éèéèéèéè", ""},
		{"too_short", "7 chars", model.CodeInvalid},
		{"none", "", model.CodeInvalid},
		{"longest", strings.Repeat("xy", auth.MaxPassword/2), ""},
		{"too_long", strings.Repeat("xy", auth.MaxPassword/2) + "z", model.CodeInvalid},
		{"common", "password", model.CodeInvalid},
		{"common_digits", "12345678", model.CodeInvalid},
		{"common_in_capitals", "PassWord", model.CodeInvalid},
		{"common_with_signs_for_letters", "P@ssw0rd", model.CodeInvalid},
		{"common_with_a_tail", "Password123!", model.CodeInvalid},
		{"common_with_spaces_around", " iloveyou ", model.CodeInvalid},
		{"name_of_the_server", "Portico1", model.CodeInvalid},
		{"one_character_repeated", "00000000", model.CodeInvalid},
		{"common_words_together", "password dragon", ""},
		{"common_with_a_long_tail", "password81736451", ""},
		{"digits_that_are_not_common", "81736451", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			hash, err := auth.NewPasswords().Hash(t.Context(), row.password)
			if got := model.CodeOf(err); got != row.want {
				t.Fatalf("code: got %q (%v), want %q", got, err, row.want)
			}
			if want := "$argon2id$v=19$m=19456,t=2,p=1$"; err == nil && !strings.HasPrefix(hash, want) {
				t.Errorf("hash: got %q, want %q first", hash, want)
			}
		})
	}
}

func TestMatch_accepts_the_right_password_only(t *testing.T) {
	t.Parallel()
	passwords := auth.NewPasswords()
	hash, err := passwords.Hash(t.Context(), "correct horse")
	check(t, err)
	for _, row := range []struct {
		name, password, hash string
		want                 bool
	}{
		{"right", "correct horse", hash, true},
		{"wrong", "correct house", hash, false},
		{"empty", "", hash, false},
		{"account_without_password", "correct horse", "", false},
		{"account_without_password_and_none_given", "", "", false},
		{"much_too_long", strings.Repeat("x", 10_000), hash, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := passwords.Match(t.Context(), row.password, row.hash)
			check(t, err)
			if got != row.want {
				t.Errorf("match: got %v, want %v", got, row.want)
			}
		})
	}
	if _, err := passwords.Match(t.Context(), "x", "damaged"); err == nil {
		t.Error("damaged hash: got no error, want one")
	}
}

// macOS composes letters in another way than other systems.
func TestMatch_accepts_letters_in_every_composition(t *testing.T) {
	t.Parallel()
	p := auth.NewPasswords()
	composed, apart := "Gr\u00f6\u00dfe und F\u00fc\u00dfe", "Gro\u0308\u00dfe und Fu\u0308\u00dfe"
	for _, set := range []string{composed, apart} {
		hash, err := p.Hash(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range []string{composed, apart} {
			if ok, err := p.Match(t.Context(), typed, hash); !ok || err != nil {
				t.Errorf("set as %+q, typed as %+q: got %v, %v, want a match", set, typed, ok, err)
			}
		}
		if ok, err := p.Match(t.Context(), "Grosse und Fusse", hash); ok || err != nil {
			t.Errorf("other letters: got %v, %v, want no match", ok, err)
		}
	}
}

func TestMatch_does_not_hash_what_cannot_be_a_password(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that a wait for a core has an error
	passwords := auth.NewPasswords()
	for _, password := range []string{"", strings.Repeat("x", auth.MaxPassword+1)} {
		for range 100 { // as a free core may be taken all the same
			if matches, err := passwords.Match(ctx, password, ""); matches || err != nil {
				t.Fatalf("match of %d bytes: got %v, %v, want no match at once", len(password), matches, err)
			}
		}
	}
}

// An account that is not there costs what one costs that is: otherwise the time
// of a response distinguishes them. It counts the work of the process, which a busy
// machine does not change, so nothing may run beside it.
func TestMatch_hashes_even_without_an_account(t *testing.T) { //nolint:paralleltest // see above
	passwords := auth.NewPasswords()
	hash, err := passwords.Hash(t.Context(), "correct horse")
	check(t, err)
	fastest := func(hash string) time.Duration {
		fastest := time.Hour
		for range 5 {
			began := worked(t)
			_, err := passwords.Match(t.Context(), "wrong password", hash)
			check(t, err)
			fastest = min(fastest, worked(t)-began)
		}
		return fastest
	}
	there, missing := fastest(hash), fastest("")
	if missing < there/3 {
		t.Errorf("time without an account: got %v, want about the %v with one", missing, there)
	}
}

// worked returns the time that the process has spent on processors.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestHash_waits_no_longer_than_its_caller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	passwords := auth.NewPasswords()
	for range 100 { // a free slot may be taken all the same
		if _, err := passwords.Hash(ctx, "correct horse"); errors.Is(err, context.Canceled) {
			return
		}
	}
	t.Error("Hash with an ended context: got no error, want one")
}
