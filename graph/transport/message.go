package transport

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/coder/websocket"

	"portico/model"
)

// Subprotocol is the one supported WebSocket subprotocol. The authors of the older one,
// graphql-ws, no longer maintain it.
const Subprotocol = "graphql-transport-ws"

// The types of messages ("graphql-ws", Message types).
const (
	typeInit      = "connection_init"
	typeAck       = "connection_ack"
	typePing      = "ping"
	typePong      = "pong"
	typeSubscribe = "subscribe"
	typeNext      = "next"
	typeError     = "error"
	typeComplete  = "complete"
)

// message is a message of the client or the server.
type message struct {
	kind string
	id   string
	// payload is JSON as it was sent. It is empty without a payload and for null, which mean the
	// same in the protocol.
	payload json.RawMessage
}

// parseMessage parses a message of a client. Its error is a *closeError with 4400 for every message
// that the protocol does not specify ("graphql-ws", Invalid message).
//
// Members that the protocol does not have are ignored.
func parseMessage(frame websocket.MessageType, body []byte) (message, error) {
	if frame != websocket.MessageText {
		return message{}, invalidMessage("Messages must be text")
	}
	members, err := decodeObject[json.RawMessage]("The message", body)
	if err != nil {
		return message{}, invalidMessage(model.AsError(err).Message)
	}
	var m message
	if decodeExact(members["type"], &m.kind) != nil || m.kind == "" {
		return message{}, invalidMessage("The message must have a type")
	}
	// check validates the payload of the types that define it.
	if isPresent(members["payload"]) {
		m.payload = members["payload"]
	}
	return m, m.check(members["id"])
}

// check validates the message against the interface of its type.
func (m *message) check(id json.RawMessage) error {
	switch m.kind {
	case typeInit, typePing, typePong:
		if len(m.payload) > 0 && !isObject(m.payload) {
			return invalidMessage(fmt.Sprintf("The payload of %s must be an object", m.kind))
		}
	case typeSubscribe, typeComplete:
		if decodeExact(id, &m.id) != nil || m.id == "" || model.HasLoneSurrogate(id) {
			return invalidMessage(fmt.Sprintf("%s must have an id", m.kind))
		}
		if m.kind == typeSubscribe && !isObject(m.payload) {
			return invalidMessage("The payload of subscribe must be an object")
		}
	default: // including the types that only a server sends
		return invalidMessage(fmt.Sprintf("Unexpected message of type %s", m.kind))
	}
	return nil
}

// isObject reports whether a valid JSON value is an object.
func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(raw, []byte("{")) // the message around it was parsed
}

// encode returns the message as JSON. It copies the payload, as encodeResponse does with data.
func (m message) encode() ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, len(m.payload)+len(m.id)+64))
	b.WriteByte('{')
	if m.id != "" {
		if err := writeMember(b, "id", m.id); err != nil {
			return nil, err
		}
		b.WriteByte(',')
	}
	if err := writeMember(b, "type", m.kind); err != nil {
		return nil, err
	}
	if len(m.payload) > 0 {
		b.WriteString(`,"payload":`)
		b.Write(m.payload)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
