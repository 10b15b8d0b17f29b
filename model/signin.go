package model

// OneTimeCodes says that an account asks for a code after the password.
type OneTimeCodes struct {
	EnabledAt Time
	// RecoveryCodesLeft is how many recovery codes were not used.
	RecoveryCodesLeft int
}

// OneTimeSecret is the secret of one-time codes, to show to its owner once.
type OneTimeSecret struct {
	Secret string // in base32, to type into an app
	URI    string // the same, as apps read it
	QRCode string // the URI as a picture, in a data: address
}

// RecoveryCodes is how many recovery codes an account gets.
const RecoveryCodes = 10

// Passkey is a passkey of an account.
type Passkey struct {
	ID        string
	Name      string
	CreatedAt Time
	// UsedAt is when somebody last signed in with it; nil for never.
	UsedAt *Time
}

// MaxPasskeys is how many passkeys an account may have.
const MaxPasskeys = 20

// PasskeyName returns the name of a passkey without spaces around it. It refuses a name that
// is empty or too long.
func PasskeyName(name string) (string, error) { return AccountName(name) }
