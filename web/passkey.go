package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"portico/db"
	"portico/model"
)

// challengeLifetime is how long a person may take to use a passkey.
const challengeLifetime = 5 * time.Minute

// passkeyFailed is the message for every passkey that is not accepted. The log has the cause.
const passkeyFailed = "The passkey was not accepted. Try again, or use your password"

// newPasskeys returns the relying party of the base address. It returns nil if the host is an IP
// address, because a passkey belongs to a domain name (WebAuthn, "RP ID").
//
// The package verifies the ceremonies of WebAuthn sections 7.1 and 7.2: challenge, origin, RP ID,
// user verification and signature.
func (s *Site) newPasskeys() (*webauthn.WebAuthn, error) {
	if _, err := netip.ParseAddr(s.base.Hostname()); err == nil {
		return nil, nil
	}
	return webauthn.New(&webauthn.Config{
		RPID: s.base.Hostname(), RPDisplayName: "Portico", RPOrigins: []string{s.base.Scheme + "://" + s.base.Host},
	})
}

// HasPasskeys reports whether people can sign in with passkeys.
func (s *Site) HasPasskeys() bool { return s.passkeys != nil }

// passkeyUser is an account with its passkeys. It implements webauthn.User.
type passkeyUser struct {
	user *model.User
	keys []*db.Passkey
}

// WebAuthnID implements webauthn.User. The id is public and contains nothing about the person.
func (u passkeyUser) WebAuthnID() []byte { return []byte(u.user.ID) }

// WebAuthnName implements webauthn.User.
func (u passkeyUser) WebAuthnName() string { return u.user.Email }

// WebAuthnDisplayName implements webauthn.User.
func (u passkeyUser) WebAuthnDisplayName() string { return u.user.Name }

// WebAuthnCredentials implements webauthn.User. It omits credentials that cannot be decoded.
func (u passkeyUser) WebAuthnCredentials() []webauthn.Credential {
	var credentials []webauthn.Credential
	for _, key := range u.keys {
		var credential webauthn.Credential
		if json.Unmarshal(key.Credential, &credential) == nil {
			credentials = append(credentials, credential)
		}
	}
	return credentials
}

// passkeyUser reads the account and its passkeys, as the library of WebAuthn wants them.
func (s *Site) passkeyUser(ctx context.Context, userID string) (passkeyUser, error) {
	user, err := s.db.User(ctx, userID)
	if err != nil {
		return passkeyUser{}, err
	}
	keys, err := s.db.Passkeys(ctx, userID)
	return passkeyUser{user, keys}, err
}

// errNoPasskeys refuses passkeys where the server has no domain, to which a passkey must belong
// (Web Authentication, section 5.1.2: the RP ID is a valid domain string).
func errNoPasskeys() error {
	return model.Forbidden("This server cannot use passkeys: its address is an IP address, and passkeys need a domain name")
}

// StartPasskey returns the options with which a browser creates a passkey for the caller's account.
// Call RequireProof first.
//
// The passkey is discoverable and verifies its user, so it signs in alone, without a name or a
// code. The exclusions keep one authenticator from getting two passkeys of an account.
func (s *Site) StartPasskey(ctx context.Context, caller *model.Caller) (json.RawMessage, error) {
	if s.passkeys == nil {
		return nil, errNoPasskeys()
	}
	user, err := s.passkeyUser(ctx, caller.UserID)
	if err != nil {
		return nil, err
	}
	options, session, err := s.passkeys.BeginRegistration(user,
		webauthn.WithExclusions(webauthn.Credentials(user.WebAuthnCredentials()).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		}))
	if err != nil {
		return nil, err
	}
	if err := s.addChallenge(ctx, caller.UserID, session); err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// AddPasskey stores the passkey that a browser created with the options of StartPasskey. The answer
// is the JSON of the browser's credential.
func (s *Site) AddPasskey(ctx context.Context, caller *model.Caller, name string, answer json.RawMessage) error {
	if s.passkeys == nil {
		return errNoPasskeys()
	}
	name, err := model.PasskeyName(name)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return model.InvalidField("credential", "is not the answer of a browser")
	}
	session, err := s.useChallenge(ctx, caller.UserID, parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return err
	}
	user, err := s.passkeyUser(ctx, caller.UserID)
	if err != nil {
		return err
	}
	credential, err := s.passkeys.CreateCredential(user, *session, parsed)
	if err != nil {
		s.log.Info("passkey refused", "error", err, "user_id", caller.UserID, "request_id", model.RequestID(ctx))
		return model.InvalidField("credential", "is not a passkey for this server")
	}
	stored, err := json.Marshal(credential)
	if err != nil {
		return err
	}
	return s.db.AddPasskey(ctx, &db.Passkey{
		Passkey: model.Passkey{ID: model.Token(), Name: name}, UserID: caller.UserID, CredentialID: credential.ID, Credential: stored,
	})
}

// addChallenge stores the state of a ceremony by the hash of its challenge.
func (s *Site) addChallenge(ctx context.Context, userID string, session *webauthn.SessionData) error {
	stored, err := json.Marshal(session)
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(session.Challenge))
	return s.db.AddChallenge(ctx, hash[:], userID, stored, challengeLifetime)
}

// useChallenge returns and deletes the state of a ceremony, so that a challenge cannot be answered
// twice.
func (s *Site) useChallenge(ctx context.Context, userID, challenge string) (*webauthn.SessionData, error) {
	hash := sha256.Sum256([]byte(challenge))
	stored, err := s.db.RedeemChallenge(ctx, hash[:], userID)
	if err != nil {
		return nil, err
	}
	session := new(webauthn.SessionData)
	return session, json.Unmarshal(stored, session)
}

// startPasskeySignIn answers POST /login/passkey/start with the options for the browser. They name
// no account, because the passkey identifies the account.
func (s *Site) startPasskeySignIn(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.externalByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return tooManyAttempts(wait)
	}
	options, session, err := s.passkeys.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return err
	}
	if err := s.addChallenge(r.Context(), "", session); err != nil {
		return err
	}
	body, err := json.Marshal(options)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // fails only when the browser has disconnected
	return nil
}

// passkeySignIn answers POST /login/passkey, whose form contains the answer of the browser. It
// requires no one-time code, because a passkey with user verification is already two factors: the
// device, and a fingerprint, a face or a PIN.
//
// A failed attempt counts for the address, as a wrong password does.
func (s *Site) passkeySignIn(w http.ResponseWriter, r *http.Request) error {
	ctx, address := r.Context(), s.AttemptSubject(r)
	if wait := s.limits.byAddress.Take(address); wait > 0 {
		return s.renderSignIn(w, r, http.StatusTooManyRequests, tooManyAttemptsText(w.Header(), wait))
	}
	user, err := s.passkeyOwner(ctx, []byte(r.PostForm.Get("credential")))
	if err != nil && model.CodeOf(err) == model.CodeInternal && !errors.Is(err, errPasskey) {
		return err
	}
	if err != nil {
		s.log.Info("passkey refused", "error", err, "request_id", model.RequestID(ctx))
		failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, "").WithMethod(model.ByPasskey)
		if err := s.db.AddSecurityEvent(ctx, failed); err != nil {
			return err
		}
		return s.renderSignIn(w, r, http.StatusUnprocessableEntity, passkeyFailed)
	}
	s.limits.byAddress.Refund(address)
	if err := s.startSession(ctx, user, model.ByPasskey); err != nil {
		return err
	}
	return Redirect(w, r, nextPath(r))
}

// errPasskey is the error for an answer without a valid signature.
var errPasskey = errors.New("the passkey is not valid")

// passkeyOwner returns the account whose passkey signed the challenge.
//
// The answer names the account by its user handle. The library checks that the credential that
// signed belongs to this account.
func (s *Site) passkeyOwner(ctx context.Context, answer []byte) (*model.User, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	session, err := s.useChallenge(ctx, "", parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return nil, err
	}
	var owner passkeyUser
	var lookupErr error
	_, credential, err := s.passkeys.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		if !isStorable(string(handle)) {
			return nil, errPasskey
		}
		owner, lookupErr = s.passkeyUser(ctx, string(handle))
		return owner, lookupErr
	}, *session, parsed)
	if lookupErr != nil && model.CodeOf(lookupErr) == model.CodeInternal {
		return nil, lookupErr // says nothing about the passkey
	}
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	if credential.Authenticator.CloneWarning { // another device may have a copy of the key
		return nil, errors.Join(errPasskey, errors.New("the signature counter did not increase"))
	}
	stored, err := json.Marshal(credential)
	if err != nil {
		return nil, err
	}
	used, err := s.db.UsePasskey(ctx, owner.user.ID, credential.ID, stored)
	if err == nil && !used { // the passkey was just removed
		err = errPasskey
	}
	return owner.user, err
}
