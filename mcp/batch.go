package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxBatch is the maximum number of messages in a batch. Only MCP 2025-03-26 has batches, and its
// clients send a few messages together.
const maxBatch = 50

// batchTooLong is the text for a batch of more messages.
var batchTooLong = fmt.Sprintf("A batch must have at most %d messages", maxBatch)

// splitBatch returns the messages of a body that is a batch in valid JSON, and nil for any other
// body. It returns at most maxBatch+1 of them: a body of millions of small values would take much
// memory.
func splitBatch(body []byte) []json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return nil
	}
	var messages []json.RawMessage
	for len(messages) <= maxBatch && decoder.More() {
		var message json.RawMessage
		if decoder.Decode(&message) != nil {
			return nil
		}
		messages = append(messages, message)
	}
	return messages
}

// requestsBesideCalls returns how many requests a body counts as, without the calls of tools, which
// door.call counts. Each message of a batch counts as one. A batch that is refused for its length
// counts as one, and so do an empty batch and a body that is not a message.
func requestsBesideCalls(single message, batch []json.RawMessage) int {
	if single.isCall() {
		return 0
	}
	if len(batch) == 0 || len(batch) > maxBatch {
		return 1
	}
	count := 0
	for _, message := range batch {
		if !readMessage(message).isCall() {
			count++
		}
	}
	return count
}

// bodyFault returns the reason to refuse a body that the SDK would accept, or "". It does not check
// what the SDK checks.
func bodyFault(body []byte, batch []json.RawMessage) string {
	switch {
	case len(batch) == 0:
		return messageFault(body)
	case len(batch) > maxBatch:
		return batchTooLong
	}
	for _, message := range batch {
		// MCP 2025-03-26, Lifecycle: the version is negotiated before anything else.
		if readMessage(message).Method == "initialize" {
			return "initialize must not be part of a batch"
		}
		if text := messageFault(message); text != "" {
			return text
		}
	}
	return ""
}
