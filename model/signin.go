package model

// OneTimeCodesOff is the message for an account that needs no one-time code.
const OneTimeCodesOff = "One-time codes are off"

// OneTimeCodesOn is the message for an account that already requires one-time codes. It names the
// way to recovery codes, because the response that returned them may have been lost.
const OneTimeCodesOn = "One-time codes are on already. Turn them off and on again to get new recovery codes"

// OneTimeCodes is the state of one-time codes of an account that requires them after the password.
type OneTimeCodes struct {
	EnabledAt Time
	// RecoveryCodesLeft is the number of unused recovery codes.
	RecoveryCodesLeft int
}

// OneTimeSecret is the secret of one-time codes. It is shown to its owner once.
type OneTimeSecret struct {
	Secret string // in base32, to type into an app
	URI    string // the same, as apps read it
	QRCode string // the URI as a picture, in a data: address
}

// RecoveryCodes is the number of recovery codes that an account gets.
const RecoveryCodes = 10

// Passkey is a passkey of an account.
type Passkey struct {
	ID        string
	Name      string
	CreatedAt Time
	// UsedAt is when somebody last signed in with it; nil for never.
	UsedAt *Time
}

// MaxPasskeys is the maximum number of passkeys of an account.
const MaxPasskeys = 20

// PasskeyName returns the name of a passkey without spaces around it. It refuses a name that
// is empty or too long.
func PasskeyName(name string) (string, error) { return AccountName(name) }
