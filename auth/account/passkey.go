package account

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"portico/db"
	"portico/model"
)

// challengeLifetime is how long a person may take to use a passkey.
const challengeLifetime = 5 * time.Minute

// newPasskeys returns the relying party of the base address. It returns nil if the host of the
// address cannot have passkeys: a passkey belongs to a domain name (WebAuthn, "RP ID"), so not to an
// IP address, nor to a name without a dot other than localhost.
//
// The package verifies the ceremonies of WebAuthn sections 7.1 and 7.2: challenge, origin, RP ID,
// user verification and signature.
func newPasskeys(base *url.URL) (*webauthn.WebAuthn, error) {
	if isDomain := protocol.ValidateRPID(base.Hostname()) == nil; !isDomain {
		return nil, nil
	}
	return webauthn.New(&webauthn.Config{
		RPID: base.Hostname(), RPDisplayName: "Portico", RPOrigins: []string{base.Scheme + "://" + base.Host},
	})
}

// HasPasskeys reports whether people can sign in with passkeys.
func (r *Registry) HasPasskeys() bool { return r.passkeys != nil }

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
func (r *Registry) passkeyUser(ctx context.Context, userID string) (passkeyUser, error) {
	user, err := r.db.Accounts().User(ctx, userID)
	if err != nil {
		return passkeyUser{}, err
	}
	keys, err := r.db.SignIns().Passkeys(ctx, userID)
	return passkeyUser{user, keys}, err
}

// errNoPasskeys refuses passkeys where the server has no domain, to which a passkey must belong
// (Web Authentication, section 5.1.2: the RP ID is a valid domain string).
func errNoPasskeys() error {
	return model.Forbidden("This server cannot use passkeys: they need an address with a domain name, such as portico.example")
}

// StartPasskey returns the options with which a browser creates a passkey for the caller's account.
// Call RequireProof first.
//
// The passkey is discoverable and verifies its user, so it signs in alone, without a name or a
// code. The exclusions keep one authenticator from getting two passkeys of an account.
func (r *Registry) StartPasskey(ctx context.Context, caller *model.Caller) (json.RawMessage, error) {
	if r.passkeys == nil {
		return nil, errNoPasskeys()
	}
	user, err := r.passkeyUser(ctx, caller.UserID)
	if err != nil {
		return nil, err
	}
	options, session, err := r.passkeys.BeginRegistration(user,
		webauthn.WithExclusions(webauthn.Credentials(user.WebAuthnCredentials()).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		}))
	if err != nil {
		return nil, err
	}
	if err := r.addChallenge(ctx, caller.UserID, session); err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// AddPasskey stores the passkey that a browser created with the options of StartPasskey.
// credentialJSON is the credential that the browser returned.
func (r *Registry) AddPasskey(ctx context.Context, caller *model.Caller, name string, credentialJSON json.RawMessage) error {
	if r.passkeys == nil {
		return errNoPasskeys()
	}
	name, err := model.PasskeyName(name)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credentialJSON)
	if err != nil {
		return model.InvalidField("credential", "is not the answer of a browser")
	}
	session, err := r.useChallenge(ctx, caller.UserID, parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return err
	}
	user, err := r.passkeyUser(ctx, caller.UserID)
	if err != nil {
		return err
	}
	credential, err := r.passkeys.CreateCredential(user, *session, parsed)
	if err != nil {
		r.log.Info("passkey refused", "error", err, "user_id", caller.UserID, "request_id", model.RequestID(ctx))
		return model.InvalidField("credential", "is not a passkey for this server")
	}
	stored, err := json.Marshal(credential)
	if err != nil {
		return err
	}
	return r.db.SignIns().AddPasskey(ctx, &db.Passkey{
		Passkey: model.Passkey{ID: model.Token(), Name: name}, UserID: caller.UserID, CredentialID: credential.ID, Credential: stored,
	})
}

// addChallenge stores the state of a ceremony by the hash of its challenge.
func (r *Registry) addChallenge(ctx context.Context, userID string, session *webauthn.SessionData) error {
	stored, err := json.Marshal(session)
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(session.Challenge))
	return r.db.SignIns().AddChallenge(ctx, hash[:], userID, stored, challengeLifetime)
}

// useChallenge returns and deletes the state of a ceremony, so that a challenge cannot be answered
// twice.
func (r *Registry) useChallenge(ctx context.Context, userID, challenge string) (*webauthn.SessionData, error) {
	hash := sha256.Sum256([]byte(challenge))
	stored, err := r.db.SignIns().RedeemChallenge(ctx, hash[:], userID)
	if err != nil {
		return nil, err
	}
	session := new(webauthn.SessionData)
	return session, json.Unmarshal(stored, session)
}
