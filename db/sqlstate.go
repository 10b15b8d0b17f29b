package db

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/db/dial"
	"portico/model"
)

// The SQLSTATEs that this package handles, by the names of their conditions (PostgreSQL
// documentation, appendix A).
const (
	numericValueOutOfRange    = "22003"
	characterNotInRepertoire  = "22021" // bytes that are not UTF-8
	invalidTextRepresentation = "22P02"
	untranslatableCharacter   = "22P05" // \u0000 in jsonb
	lockNotAvailable          = "55P03" // the lock was not free within lock_timeout
)

// The SQLSTATEs that our triggers raise.
const (
	// quotaExceeded is a write over the quota. count_json raises it, in the transaction that writes
	// the JSON.
	quotaExceeded = "PQ507"
	// spaceHidden is a change that would publish a hidden space. The trigger of keep_hidden_space
	// raises it, so no statement can forget the rule.
	spaceHidden = "PQ403"
)

// translate returns an error of package model for a value that Postgres refuses to
// store, and model.Unavailable for a database that does not answer, with driver.ErrBadConn for a
// connection that was lost during a statement. Every other error stays as it is, and is internal to
// clients.
//
// Each function translates the errors of the statements that it runs itself, even inside InTx.
// InTx, lockInOrder, rows, rowChanged and translateNotFound return translated errors, which their
// callers return unchanged. Errors that are only logged and errors of Migrate are not translated.
// Translating an error again changes nothing.
//
// The errors by SQLSTATE:
//
//	untranslatableCharacter             400   a text that jsonb cannot hold
//	characterNotInRepertoire            400   a text that UTF-8 cannot hold
//	invalidTextRepresentation of JSON   400   half of a surrogate pair
//	numericValueOutOfRange of JSON      400   a number that is too large
//	quotaExceeded                       507   the quota of the account (API section 7)
//	spaceHidden                         403   a space that an operator has hidden
//	23...                               the error of the constraint that the row violates (violation)
func translate(err error) error {
	pg, ok := errors.AsType[pgdriver.Error](err)
	switch {
	case isTranslated(err):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return model.Unavailable(fmt.Errorf("%w: %w", driver.ErrBadConn, err))
	case dial.Unavailable(err):
		return model.Unavailable(err)
	case !ok:
		return err
	}
	switch code := pg.Field('C'); {
	case code == untranslatableCharacter, code == characterNotInRepertoire, code == invalidTextRepresentation && isFromJSON(pg):
		return model.Invalidf("The request contains text that cannot be stored, such as a NUL character")
	case code == numericValueOutOfRange && isFromNumeric(pg):
		return model.Invalidf("The request contains a number that is too large to store")
	case code == quotaExceeded:
		return model.StorageFull()
	case code == spaceHidden:
		return model.Forbidden(model.SpaceTakenDown).WithReason(model.ReasonTakenDown)
	case pg.IntegrityViolation():
		if refusal := violation(pg.Field('n')); refusal != nil {
			return refusal
		}
	}
	return err
}

// isTranslated reports whether err is an error of package model already.
func isTranslated(err error) bool {
	_, ok := errors.AsType[*model.Error](err)
	return ok
}

// translateNotFound translates the error of a statement that selects one row. Without a row it
// returns CodeNotFound with the text missing.
func translateNotFound(err error, missing string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return model.NotFound(missing)
	}
	return translate(err)
}

// rowChanged takes the results of Exec and reports whether the statement changed a row.
func rowChanged(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, translate(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// violation returns the error for a row that violates the constraint or the index of this name; nil
// if the violation is a mistake of ours. No other function knows these names.
//
// A foreign key means that another transaction has deleted a row since the caller looked it up.
// Foreign keys have the names that Postgres gives them: the table, the column and "fkey". The first
// match wins, so a longer suffix is before a shorter one.
func violation(name string) *model.Error {
	for _, constraint := range []struct {
		suffix  string
		refusal *model.Error
	}{
		{"users_email_key", model.EmailTaken()},
		{"passkeys_credential_key", model.Invalidf("The passkey is registered already")},
		{"entities_bytes", model.TooLargef("entity_data and entity_state have more than %d bytes together", model.MaxObject).WithField("entity_data")},
		{"spaces_bytes", model.TooLargef("The fields kept with a space have more than %d bytes", model.MaxObject)},
		{"recovery_codes_user_id_fkey", model.NotFound(model.OneTimeCodesOff)},
		{"_user_id_fkey", model.NotFound(model.UserNotFound)},
		{"_owner_id_fkey", model.NotFound(model.UserNotFound)},
		{"_follower_id_fkey", model.NotFound(model.UserNotFound)},
		{"_space_id_fkey", model.NotFound(model.SpaceNotFound)},
		{"_space_id_version_fkey", model.NotFound(model.VersionNotFound)},
		{"_resource_key_fkey", model.NotFound(model.FileNotFound)},
		{"upload_writers_upload_id_fkey", model.NotFound(model.UploadNotFound)},
		{"splat_uploads_upload_id_fkey", model.NotFound(model.UploadNotFound)},
		{"splat_parts_upload_id_fkey", model.NotFound(model.UploadNotFound)},
		{"splat_settings_upload_id_fkey", model.NotFound(model.UploadNotFound)},
		{"_webhook_id_fkey", model.NotFound(model.WebhookNotFound)},
		{"_client_id_fkey", model.NotFound(model.ClientNotFound)},
	} {
		if strings.HasSuffix(name, constraint.suffix) {
			return constraint.refusal
		}
	}
	return nil
}

// isFromJSON reports whether the parser of JSON has raised the error. Postgres raises 22P02 for a
// text of any type that it cannot read. Clients send no other such text, so every other 22P02 is a
// fault of ours. The routine is the only field that says so in every language (PostgreSQL, Error
// and Notice Message Fields).
func isFromJSON(pg pgdriver.Error) bool {
	routine := pg.Field('R')
	return routine == "json_errsave_error" || routine == "json_ereport_error" // before PostgreSQL 16
}

// isFromNumeric reports whether the parser of numeric has raised the error. It reads the numbers of
// JSON, which may have more digits than numeric holds. Postgres also raises 22003 for the overflow
// of a bigint or of a cast, which is a fault of ours. So are the errors of class 54 (program limit
// exceeded): model limits the depth and the size of JSON, and derive_entity the ids in it.
//
// Up to PostgreSQL 15 make_result_opt_error raises the error. Arithmetic of numeric calls it, too,
// but no statement of ours calculates with such numbers.
func isFromNumeric(pg pgdriver.Error) bool {
	return slices.Contains([]string{"numeric_in", "set_var_from_str", "make_result_opt_error"}, pg.Field('R'))
}
