package db

import (
	"strings"

	"portico/model"
)

// foreignKeyViolation is the SQLSTATE of a row that refers to a row that is not there.
const foreignKeyViolation = "23503"

// missingRow returns the text of CodeNotFound for a violation of the foreign key; "" if the
// violation is a mistake of ours.
//
// A caller has looked up what its new row refers to, so another transaction has deleted it since.
// Foreign keys have the names that Postgres gives them: the table, the column and "fkey".
func missingRow(foreignKey string) string {
	for _, missing := range []struct{ end, text string }{
		{"recovery_codes_user_id_fkey", model.OneTimeCodesOff},
		{"_user_id_fkey", model.UserNotFound},
		{"_owner_id_fkey", model.UserNotFound},
		{"_follower_id_fkey", model.UserNotFound},
		{"_space_id_fkey", model.SpaceNotFound},
		{"_space_id_version_fkey", model.VersionNotFound},
		{"_resource_key_fkey", model.FileNotFound},
		{"upload_writers_upload_id_fkey", model.UploadNotFound},
		{"_webhook_id_fkey", model.WebhookNotFound},
		{"_client_id_fkey", model.ClientNotFound},
	} {
		if strings.HasSuffix(foreignKey, missing.end) {
			return missing.text
		}
	}
	return ""
}
