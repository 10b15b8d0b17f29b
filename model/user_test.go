package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestNormaliseEmail_lowers_addresses_and_refuses_other_text(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ email, want string }{
		{"ada@example.com", "ada@example.com"},
		{" Ada.L+x@Example.COM ", "ada.l+x@example.com"},
		{"ada@localhost", "ada@localhost"},
		{"", ""}, {"ada", ""}, {"@example.com", ""}, {"ada@", ""}, {"a b@example.com", ""},
		{"Ada <ada@example.com>", ""}, {"<ada@example.com>", ""}, {"a@b.example, c@d.example", ""},
		{"ada@example.com\x00", ""}, {"a\x00da@example.com", ""}, {"ada\n@example.com", ""}, {"\xff@example.com", ""},
		{strings.Repeat("a", 250) + "@b.example", ""},
	} {
		got, err := NormaliseEmail(test.email)
		want := "email must be an e-mail address"
		if test.want != "" {
			want = ""
		}
		checkInvalid(t, err, want)
		if e := AsError(err); e != nil && e.Field != "email" {
			t.Errorf("NormaliseEmail(%q): got an error of the field %q, want email", test.email, e.Field)
		}
		if got != test.want {
			t.Errorf("NormaliseEmail(%q): got %q, want %q", test.email, got, test.want)
		}
	}
}

func TestCreateUser_Validate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		in, want  CreateUser
		wantError string
	}{
		{"fills_in", CreateUser{Email: "Ada@x.example"}, CreateUser{Email: "ada@x.example", Plan: PlanFree}, ""},
		{
			"keeps_what_is_set", CreateUser{Email: "a@x.example", Name: "Ada", Plan: PlanPro, Quota: 5},
			CreateUser{Email: "a@x.example", Name: "Ada", Plan: PlanPro, Quota: 5}, "",
		},
		{"refuses_no_address", CreateUser{}, CreateUser{}, "email must be an e-mail address"},
		{
			"refuses_a_negative_quota", CreateUser{Email: "a@x.example", Quota: -1},
			CreateUser{Email: "a@x.example", Plan: PlanFree, Quota: -1}, "quota must not be negative",
		},
		{
			"refuses_NUL_in_a_name", CreateUser{Email: "a@x.example", Name: "\x00"},
			CreateUser{Email: "a@x.example", Name: "\x00", Plan: PlanFree}, "name must not contain a NUL character",
		},
		{
			"removes_spaces_around_a_name", CreateUser{Email: "a@x.example", Name: " Ada L. "},
			CreateUser{Email: "a@x.example", Name: "Ada L.", Plan: PlanFree}, "",
		},
		{
			"takes_nothing_of_the_address_for_a_name_of_spaces", CreateUser{Email: "ada@x.example", Name: "   "},
			CreateUser{Email: "ada@x.example", Plan: PlanFree}, "",
		},
		{
			"refuses_an_address_as_a_name", CreateUser{Email: "ada@x.example", Name: "Ada@X.example"},
			CreateUser{Email: "ada@x.example", Plan: PlanFree}, "name must not be an e-mail address, because others see it",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := test.in
			checkInvalid(t, in.Validate(), test.wantError)
			if in != test.want {
				t.Errorf("input: got %+v, want %+v", in, test.want)
			}
		})
	}
}

func TestStorage_Free(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   Storage
		want int64
	}{
		{Storage{Quota: 10}, 10}, {Storage{Quota: 10, Used: 3, Reserved: 4}, 3},
		{Storage{Quota: 10, Used: 6, Reserved: 4}, 0}, {Storage{Quota: 10, Used: 60}, 0},
	} {
		if got := test.in.Free(); got != test.want {
			t.Errorf("free of %+v: got %d, want %d", test.in, got, test.want)
		}
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	for _, test := range []struct {
		name    string
		err     error
		code    Code
		message string
	}{
		{"is_the_error", Invalidf("limit %d", 5), CodeInvalid, "limit 5"},
		{"is_the_error_in_the_chain", fmt.Errorf("read: %w", NotFound("Space not found")), CodeNotFound, "Space not found"},
		{"hides_a_cause", &Error{Code: CodeForbidden, Message: "No", Err: cause}, CodeForbidden, "No"},
		{"hides_any_other_error", cause, CodeInternal, InternalMessage},
		{"hides_the_text_of_an_internal_one", &Error{Code: CodeInternal, Message: "secret"}, CodeInternal, InternalMessage},
		{"hides_the_end_of_a_request", context.Canceled, CodeInternal, InternalMessage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := AsError(test.err)
			if got.Code != test.code || got.Message != test.message || CodeOf(test.err) != test.code {
				t.Errorf("error: got %s %q, want %s %q", got.Code, got.Message, test.code, test.message)
			}
		})
	}
	if !errors.Is(AsError(cause), cause) || !strings.Contains(AsError(cause).Error(), "disk on fire") {
		t.Errorf("cause: got %v, want it kept for the log", AsError(cause))
	}
	if AsError(nil) != nil || CodeOf(nil) != "" {
		t.Errorf("no error: got %v, want none", AsError(nil))
	}
}

func TestContext_carries_the_caller_and_the_request_id(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	if CallerFrom(ctx) != nil || RequestID(ctx) != "" {
		t.Errorf("empty context: got %v and %q, want nothing", CallerFrom(ctx), RequestID(ctx))
	}
	caller := &Caller{UserID: "12345678", KeyID: "k"}
	ctx = WithRequestID(WithCaller(ctx, caller), "r")
	if CallerFrom(ctx) != caller || RequestID(ctx) != "r" {
		t.Errorf("context: got %v and %q, want %v and r", CallerFrom(ctx), RequestID(ctx), caller)
	}
}
