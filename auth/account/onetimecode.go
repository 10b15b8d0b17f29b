package account

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"image/png"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"portico/model"
)

// The parameters of one-time codes that every app supports (RFC 6238). The codes have six digits
// and use HMAC-SHA-1, the defaults of RFC 6238.
const (
	codePeriod = 30  // seconds of a step
	codeSkew   = 1   // steps by which the clock of a phone may be wrong
	qrCodeSize = 240 // pixels
)

// StartOneTimeCodes generates a secret for the caller's account. Signing in requires no code before
// ConfirmOneTimeCodes. Call RequireProof first.
func (r *Registry) StartOneTimeCodes(ctx context.Context, caller *model.Caller) (*model.OneTimeSecret, error) {
	user, err := r.db.Accounts().User(ctx, caller.UserID)
	if err != nil {
		return nil, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Portico " + r.host, AccountName: user.Email, Period: codePeriod})
	if err != nil {
		return nil, fmt.Errorf("make the secret of one-time codes: %w", err)
	}
	picture, err := key.Image(qrCodeSize, qrCodeSize)
	if err != nil {
		return nil, fmt.Errorf("draw a QR code: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return nil, fmt.Errorf("draw a QR code: %w", err)
	}
	if err := r.db.SignIns().StartOneTimeCodes(ctx, user.ID, r.keys.SealCode(user.ID, key.Secret())); err != nil {
		return nil, err
	}
	return &model.OneTimeSecret{
		Secret: key.Secret(), URI: key.URL(),
		QRCode: "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()),
	}, nil
}

// errNoSecret refuses a code if there is no secret to confirm: none was started, or it was deleted
// when the codes were turned off.
func errNoSecret() error {
	return &model.Error{Code: model.CodeConflict, Message: "There is no secret to confirm. Start again"}
}

// errSecretReplaced refuses a code for a secret that another start has replaced meanwhile.
func errSecretReplaced() error {
	return &model.Error{Code: model.CodeConflict, Message: "The secret was replaced. Start again"}
}

// secretToConfirm returns the sealed secret that waits for its first code. It returns CodeConflict
// if there is none, or the codes are on already.
func (r *Registry) secretToConfirm(ctx context.Context, userID string) ([]byte, error) {
	stored, err := r.db.SignIns().OneTimeSecret(ctx, userID)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, errNoSecret()
	case stored.Confirmed:
		return nil, &model.Error{Code: model.CodeConflict, Message: model.OneTimeCodesOn}
	}
	return stored.Sealed, nil
}

// ConfirmOneTimeCodes turns on the one-time codes of the caller's account. The code proves that the
// app has the secret. ConfirmOneTimeCodes returns the recovery codes, which cannot be read later.
func (r *Registry) ConfirmOneTimeCodes(ctx context.Context, caller *model.Caller, code string) ([]string, error) {
	if wait := r.limits.byCode.Take(caller.UserID); wait > 0 {
		return nil, TooManyAttempts(wait)
	}
	sealed, err := r.secretToConfirm(ctx, caller.UserID)
	if err != nil {
		return nil, err
	}
	secret, err := r.keys.OpenCode(caller.UserID, sealed)
	if err != nil {
		return nil, err
	}
	step, ok := matchingStep(secret, withoutSeparators(code), r.now())
	if !ok {
		return nil, model.InvalidField("code", "is not the code that the app shows")
	}
	recovery, hashes := make([]string, model.RecoveryCodes), make([][]byte, model.RecoveryCodes)
	for i := range recovery {
		recovery[i] = newRecoveryCode()
		hashes[i] = recoveryHash(recovery[i])
	}
	confirmed, err := r.db.SignIns().ConfirmOneTimeCodes(ctx, caller.UserID, sealed, step, hashes)
	if err != nil {
		return nil, err
	}
	if !confirmed {
		if _, err := r.secretToConfirm(ctx, caller.UserID); err != nil {
			return nil, err // the same request, sent twice, has confirmed it
		}
		return nil, errSecretReplaced()
	}
	r.limits.byCode.Forget(caller.UserID)
	return recovery, nil
}

// RequiresCode reports whether a sign-in with the password of the account also requires a one-time
// code.
func (r *Registry) RequiresCode(ctx context.Context, userID string) (bool, error) {
	codes, err := r.db.SignIns().OneTimeCodes(ctx, userID)
	return codes != nil && err == nil, err
}

// UseCode consumes a one-time code or a recovery code of an account whose password was entered, and
// reports whether it was correct. It records a wrong code in the audit trail.
//
// An account may fail 10 times in 15 minutes; then UseCode returns CodeRateLimited. The attempt
// counts before the code is checked, because attempts run in parallel. Only somebody who knows the
// password can exhaust the attempts of an account.
func (r *Registry) UseCode(ctx context.Context, userID, code string) (bool, error) {
	if wait := r.limits.byCode.Take(userID); wait > 0 {
		return false, TooManyAttempts(wait)
	}
	isCorrect, err := r.useCode(ctx, userID, code)
	if err != nil {
		return false, err
	}
	if isCorrect {
		r.limits.byCode.Forget(userID)
		return true, nil
	}
	failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, userID).WithMethod(model.ByPassword).WithReason(model.EventReasonWrongCode)
	return false, r.db.Audit().AddSecurityEvent(ctx, failed)
}

// useCode consumes a one-time code or a recovery code, and reports whether it was correct.
//
// A code of the wrong length can only be a recovery code. Codes are accepted once: UseOneTimeStep
// refuses a step that was used (RFC 6238 section 5.2).
func (r *Registry) useCode(ctx context.Context, userID, code string) (bool, error) {
	code = withoutSeparators(code)
	if len(code) != int(otp.DigitsSix) {
		return r.db.SignIns().UseRecoveryCode(ctx, userID, recoveryHash(code))
	}
	stored, err := r.db.SignIns().OneTimeSecret(ctx, userID)
	if err != nil || stored == nil || !stored.Confirmed { // the codes were turned off
		return false, err
	}
	secret, err := r.keys.OpenCode(userID, stored.Sealed)
	if err != nil {
		return false, err
	}
	step, ok := matchingStep(secret, code, r.now())
	if !ok {
		return false, nil
	}
	return r.db.SignIns().UseOneTimeStep(ctx, userID, step)
}

// withoutSeparators returns a code without the spaces and dashes that apps and people write between
// groups of its characters.
func withoutSeparators(code string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, code)
}

// matchingStep returns the time step whose code this is, within codeSkew steps of now. It compares
// with all of them, so that its time does not depend on the code.
//
// It is HOTP (RFC 4226) with the number of the time step as its counter.
func matchingStep(secret, code string, now time.Time) (int64, bool) {
	current := now.Unix() / codePeriod
	found, ok := int64(0), false
	for step := current - codeSkew; step <= current+codeSkew; step++ {
		want, err := hotp.GenerateCode(secret, uint64(max(step, 0)))
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			found, ok = step, true
		}
	}
	return found, ok
}

// newRecoveryCode returns a code with 80 random bits, in groups that are easy to type.
func newRecoveryCode() string {
	text := strings.ToLower(rand.Text()[:16])
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// recoveryHash returns the hash under which the database stores a recovery code. It ignores case
// and dashes.
func recoveryHash(code string) []byte {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.ReplaceAll(code, "-", ""))))
	return sum[:]
}
