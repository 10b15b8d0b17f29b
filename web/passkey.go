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

// passkeyFailed is the text for every passkey that signs nobody in. The log has the cause.
const passkeyFailed = "The passkey was not accepted. Try again, or use your password"

// newPasskeys returns the relying party of the base address, or nil where it has none: a
// passkey belongs to a name, and not to an IP address.
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

// passkeyUser is an account as the library sees it.
type passkeyUser struct {
	user *model.User
	keys []*db.Passkey
}

// WebAuthnID implements webauthn.User. The id is no secret, and says nothing about the person.
func (u passkeyUser) WebAuthnID() []byte { return []byte(u.user.ID) }

// WebAuthnName implements webauthn.User.
func (u passkeyUser) WebAuthnName() string { return u.user.Email }

// WebAuthnDisplayName implements webauthn.User.
func (u passkeyUser) WebAuthnDisplayName() string { return u.user.Name }

// WebAuthnCredentials implements webauthn.User. A credential that cannot be read is left out.
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

// passkeyUser returns the account with its passkeys.
func (s *Site) passkeyUser(ctx context.Context, userID string) (passkeyUser, error) {
	user, err := s.db.User(ctx, userID)
	if err != nil {
		return passkeyUser{}, err
	}
	keys, err := s.db.Passkeys(ctx, userID)
	return passkeyUser{user, keys}, err
}

// StartPasskey returns the options with which a browser makes a passkey for the caller's
// account. Call Prove first.
func (s *Site) StartPasskey(ctx context.Context, caller *model.Caller) (json.RawMessage, error) {
	if s.passkeys == nil {
		return nil, model.Forbidden("This server has no name that passkeys could belong to")
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

// AddPasskey stores the passkey that a browser made with the options of StartPasskey.
func (s *Site) AddPasskey(ctx context.Context, caller *model.Caller, name string, answer json.RawMessage) error {
	if s.passkeys == nil {
		return model.Forbidden("This server has no name that passkeys could belong to")
	}
	name, err := model.PasskeyName(name)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return model.InvalidField("credential", "is not the answer of a browser")
	}
	session, err := s.takeChallenge(ctx, caller.UserID, parsed.Response.CollectedClientData.Challenge)
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

// addChallenge stores the state of a ceremony by its challenge.
func (s *Site) addChallenge(ctx context.Context, userID string, session *webauthn.SessionData) error {
	stored, err := json.Marshal(session)
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(session.Challenge))
	return s.db.AddChallenge(ctx, hash[:], userID, stored, challengeLifetime)
}

// takeChallenge removes the state of a ceremony, so that nobody can answer the challenge twice.
func (s *Site) takeChallenge(ctx context.Context, userID, challenge string) (*webauthn.SessionData, error) {
	hash := sha256.Sum256([]byte(challenge))
	stored, err := s.db.TakeChallenge(ctx, hash[:], userID)
	if err != nil {
		return nil, err
	}
	session := new(webauthn.SessionData)
	return session, json.Unmarshal(stored, session)
}

// startPasskeySignIn answers POST /login/passkey/start with the options for the browser. It
// names no account: the passkey does.
func (s *Site) startPasskeySignIn(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.external.Take(s.Sender(r)); wait > 0 {
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many attempts. Try again later", RetryAfter: wait}
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
	_, _ = w.Write(body) // fails only when the browser has left
	return nil
}

// passkeySignIn answers POST /login/passkey, whose form has the answer of the browser. There is
// no one-time code after it: a passkey is a device and a finger, a face or a PIN.
func (s *Site) passkeySignIn(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	user, err := s.passkeyOwner(ctx, []byte(r.PostForm.Get("credential")))
	if err != nil && model.CodeOf(err) == model.CodeInternal && !errors.Is(err, errPasskey) {
		return err
	}
	if err != nil {
		s.log.Info("passkey refused", "error", err, "request_id", model.RequestID(ctx))
		failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, "").By(model.ByPasskey)
		if err := s.db.AddSecurityEvent(ctx, failed); err != nil {
			return err
		}
		return s.respondSignIn(w, r, http.StatusUnprocessableEntity, passkeyFailed)
	}
	if err := s.startSession(ctx, user, model.ByPasskey); err != nil {
		return err
	}
	return Redirect(w, r, next(r))
}

// errPasskey is the error for an answer that proves nothing.
var errPasskey = errors.New("the passkey is not valid")

// passkeyOwner returns the account whose passkey signed the challenge.
func (s *Site) passkeyOwner(ctx context.Context, answer []byte) (*model.User, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	session, err := s.takeChallenge(ctx, "", parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return nil, err
	}
	var owner passkeyUser
	_, credential, err := s.passkeys.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		if !isStorable(string(handle)) {
			return nil, errPasskey
		}
		owner, err = s.passkeyUser(ctx, string(handle))
		return owner, err
	}, *session, parsed)
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	if credential.Authenticator.CloneWarning { // another device has the same key
		return nil, errors.Join(errPasskey, errors.New("its counter went back"))
	}
	stored, err := json.Marshal(credential)
	if err != nil {
		return nil, err
	}
	used, err := s.db.UsePasskey(ctx, owner.user.ID, credential.ID, stored)
	if err == nil && !used { // removed meanwhile
		err = errPasskey
	}
	return owner.user, err
}
