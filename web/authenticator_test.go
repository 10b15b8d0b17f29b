package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// The flags of authenticator data (WebAuthn section 6.1).
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
	hasKey       = 1 << 6
)

// authenticator is a device with one passkey, with the browser that it is used in. Tests change
// its fields to lie.
type authenticator struct {
	t      *testing.T
	key    *ecdsa.PrivateKey
	id     []byte
	user   string // the handle
	origin string
	party  string // the relying party
	flags  byte
	count  uint32
}

func newAuthenticator(t *testing.T, origin string) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	return &authenticator{t: t, key: key, id: []byte(rand.Text()), origin: origin, party: "localhost", flags: userPresent | userVerified}
}

// options are what the device reads of the options of the server.
type options struct {
	PublicKey struct {
		Challenge string
		User      struct{ ID string }
	}
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// clientData returns what the browser says about the ceremony.
func (a *authenticator) clientData(kind, challenge string) []byte {
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	check(a.t, err)
	return text
}

func (a *authenticator) data(flags byte) []byte {
	party := sha256.Sum256([]byte(a.party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), a.count)
}

// create makes the passkey, and returns the response of the browser.
func (a *authenticator) create(text []byte) []byte {
	a.t.Helper()
	var o options
	check(a.t, json.Unmarshal(text, &o))
	user, err := base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	check(a.t, err)
	a.user = string(user)
	point, err := a.key.PublicKey.Bytes()
	check(a.t, err)
	public, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	check(a.t, err)
	data := append(a.data(a.flags|hasKey), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.id)))
	data = append(append(data, a.id...), public...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	check(a.t, err)
	return a.credential(map[string]any{
		"attestationObject": encoded(object), "clientDataJSON": encoded(a.clientData("webauthn.create", o.PublicKey.Challenge)),
	})
}

// get signs the challenge, and returns the response of the browser.
func (a *authenticator) get(text []byte) []byte {
	a.t.Helper()
	var o options
	check(a.t, json.Unmarshal(text, &o))
	data, client := a.data(a.flags), a.clientData("webauthn.get", o.PublicKey.Challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	check(a.t, err)
	return a.credential(map[string]any{
		"authenticatorData": encoded(data), "clientDataJSON": encoded(client),
		"signature": encoded(signature), "userHandle": encoded([]byte(a.user)),
	})
}

// credential returns a credential as browsers write it.
func (a *authenticator) credential(response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{
		"id": encoded(a.id), "rawId": encoded(a.id), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response,
	})
	check(a.t, err)
	return text
}
