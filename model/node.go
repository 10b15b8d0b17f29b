package model

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Node is an object with an id that is unique among all objects.
type Node interface{ IsNode() }

// NodeType is the type of a node, by its name in the GraphQL schema.
type NodeType string

// Node ids contain these names, and clients keep node ids: another name would make them invalid.
const (
	NodeUser          NodeType = "User"
	NodeSpace         NodeType = "Space"
	NodeEntity        NodeType = "Entity"
	NodeFile          NodeType = "File"
	NodeJob           NodeType = "Job"
	NodeNotification  NodeType = "Notification"
	NodeSecurityEvent NodeType = "SecurityEvent"
)

func (t NodeType) isKnown() bool {
	switch t {
	case NodeUser, NodeSpace, NodeEntity, NodeFile, NodeJob, NodeNotification, NodeSecurityEvent:
		return true
	}
	return false
}

// NodeID returns the id that an object has in GraphQL: its type and its own id, encoded so
// that clients do not parse it.
func NodeID(nodeType NodeType, id string) string {
	text := append(make([]byte, 0, 96), nodeType...) // on the stack, as nearly every id fits
	text = append(append(text, ':'), id...)
	return string(base64.RawURLEncoding.AppendEncode(make([]byte, 0, 128), text))
}

// ParseNodeID is the reverse of NodeID. ok is false for any other text, such as the id that REST
// and MCP use: no such id is the base64 text of a type and a colon.
func ParseNodeID(nodeID string) (nodeType NodeType, id string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(nodeID)
	if err != nil {
		return "", "", false
	}
	name, id, ok := strings.Cut(string(text), ":")
	return NodeType(name), id, ok && NodeType(name).isKnown()
}

// OwnID returns the id of an object that nodeID contains. It returns nodeID unchanged if that is
// not a node id: clients may also send the id that REST and MCP use. It refuses the node id of an
// object of another type. field names the argument in the error.
func OwnID(want NodeType, field, nodeID string) (string, error) {
	kind, id, ok := ParseNodeID(nodeID)
	switch {
	case !ok:
		return nodeID, nil
	case kind != want:
		return "", InvalidField(field, fmt.Sprintf("is the id of a %s and must be the id of a %s", kind, want))
	}
	return id, nil
}

// NodeID returns the id in GraphQL.
func (p *Profile) NodeID() string { return NodeID(NodeUser, p.ID) }

// NodeID returns the id of the account in GraphQL.
func (a *Account) NodeID() string { return NodeID(NodeUser, a.ID) }

// NodeID returns the id of the space in GraphQL.
func (s *ModeratedSpace) NodeID() string { return NodeID(NodeSpace, s.ID) }

// NodeID returns the id of the file in GraphQL.
func (f *FailedFile) NodeID() string { return NodeID(NodeFile, f.ResourceKey) }

// NodeID returns the id in GraphQL.
func (s *Space) NodeID() string { return NodeID(NodeSpace, s.ID) }

// NodeID returns the id in GraphQL.
func (e *Entity) NodeID() string { return NodeID(NodeEntity, e.ID()) }

// NodeID returns the id in GraphQL.
func (f *File) NodeID() string { return NodeID(NodeFile, f.ResourceKey) }

// NodeID returns the id in GraphQL.
func (j *Job) NodeID() string { return NodeID(NodeJob, j.ID) }

// NodeID returns the id in GraphQL.
func (n *Notification) NodeID() string { return NodeID(NodeNotification, n.ID) }

// NodeID returns the id in GraphQL.
func (e *SecurityEvent) NodeID() string { return NodeID(NodeSecurityEvent, e.ID) }

// NodeID returns the id that the space had in GraphQL.
func (e *SpaceDeleted) NodeID() string { return NodeID(NodeSpace, e.SpaceID) }

// NodeID returns the id that the deleted file had in GraphQL.
func (e *FileDeleted) NodeID() string { return NodeID(NodeFile, e.ResourceKey) }

// NodeID returns the id of the space in GraphQL.
func (e *AccessLost) NodeID() string { return NodeID(NodeSpace, e.SpaceID) }

// DeletedEntityID returns the id that the entity had in GraphQL.
func (e *EntityDeleted) DeletedEntityID() string {
	return (&Entity{SpaceID: e.Space.ID, EntityID: e.EntityID}).NodeID()
}

// IsNode implements Node.
func (Space) IsNode() {}

// IsNode implements Node.
func (Entity) IsNode() {}

// IsNode implements Node.
func (File) IsNode() {}

// IsNode implements Node.
func (Job) IsNode() {}

// Token returns 26 random lower-case letters and digits: 130 random bits, so nobody can guess it.
func Token() string { return strings.ToLower(rand.Text()) }

// NewSpaceID returns an unguessable id for a space of the user.
func NewSpaceID(userID string) string { return userID + "_" + Token() }

// spaceID matches the ids of NewSpaceID.
var spaceID = regexp.MustCompile(`^[0-9]{8}_[a-z0-9]{1,64}$`)

// IsSpaceID reports whether a text has the form of a space's id. No route of the server starts with
// a path segment of that form.
func IsSpaceID(text string) bool { return spaceID.MatchString(text) }

// NewModelID returns an id for an entity that is made from a file.
func NewModelID() string { return "user-model-" + hex.EncodeToString(random(8)) }

// NewUUID returns a random UUID (RFC 9562 section 5.4).
func NewUUID() string {
	b := random(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (Go 1.24)
	return b
}
