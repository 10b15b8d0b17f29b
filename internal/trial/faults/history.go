package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// history is what several clients did to one entity, and what each was told.
type history struct {
	spaceID, entityID string
	start             time.Time

	mu         sync.Mutex
	operations []porcupine.Operation
	numbers    int // given to values so far
}

// action is what a client does to an entity.
type action int

const (
	actionRead   action = iota
	actionCreate        // POST: creates the entity, or merges into it
	actionMerge         // PUT: merges into the entity if it is there
	actionDelete
)

// entityInput is an operation of a history. A merge writes one of the two fields and leaves the
// other one, so a merge that is lost or done twice shows in the result of another one.
type entityInput struct {
	action action
	field  int // 0 or 1
	value  int
}

// entityOutput is what a client was told.
type entityOutput struct {
	unknown bool // no response, or one that leaves open what has happened
	found   bool // the entity was there before the operation
	state   entityState
}

// entityState is the state of an entity. A field with the value 0 is not there.
type entityState struct {
	exists bool
	fields [2]int
}

// after returns the state after an operation, and what the response says of the state before it.
func (s entityState) after(in entityInput) (next entityState, found bool) {
	switch {
	case in.action == actionDelete:
		return entityState{}, s.exists
	case in.action == actionCreate, in.action == actionMerge && s.exists:
		next = s
		next.exists = true
		next.fields[in.field] = in.value
		return next, s.exists
	}
	return s, s.exists
}

// entityModel is the model of one entity for porcupine. An operation whose result is unknown may
// take effect at any time after it began, also never, which is the same as after all others.
func entityModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return entityState{} },
		Step: func(state, input, output any) (bool, any) {
			in, out := input.(entityInput), output.(entityOutput)
			next, found := state.(entityState).after(in)
			if out.unknown {
				return true, next
			}
			return out.found == found && (out.state == next || in.action == actionDelete), next
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
	}
}

// add adds an operation. One whose result is unknown never ends.
func (h *history) add(clientID int, in entityInput, out entityOutput, call, end time.Time) {
	returned := int64(end.Sub(h.start))
	if out.unknown {
		returned = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{ClientId: clientID, Input: in, Call: int64(call.Sub(h.start)), Output: out, Return: returned})
}

// number returns a value that no other operation has.
func (h *history) number() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.numbers++
	return h.numbers
}

// checkTime is how long a history may be searched for an order.
const checkTime = time.Minute

// check reports whether the history can be explained by the operations one after the other, and
// adds to the counts of the world.
func (h *history) check(w *world) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.add("histories", 1)
	w.add("operations", len(h.operations))
	unknown := 0
	for _, o := range h.operations {
		if o.Output.(entityOutput).unknown {
			unknown++
		}
	}
	w.add("unknown results", unknown)
	switch porcupine.CheckOperationsTimeout(entityModel(), h.operations, checkTime) {
	case porcupine.Illegal:
		w.add("not linearizable", 1)
		w.addViolation("entity %s of space %s: its history is not linearizable:\n%s", h.entityID, h.spaceID, h)
	case porcupine.Unknown:
		w.addViolation("entity %s: its history of %d operations, %d of them unknown, took too long to check", h.entityID, len(h.operations), unknown)
	case porcupine.Ok:
	}
}

// String returns the operations in the order in which they began.
func (h *history) String() string {
	slices.SortFunc(h.operations, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range h.operations {
		end := "-"
		if o.Return != math.MaxInt64 {
			end = time.Duration(o.Return).Round(time.Millisecond).String()
		}
		fmt.Fprintf(&b, "      client %d %v-%s %+v %+v\n", o.ClientId, time.Duration(o.Call).Round(time.Millisecond), end, o.Input, o.Output)
	}
	return b.String()
}

// work does random operations to the entity until stopping is closed. After an operation whose
// result is unknown the client reads until it is answered, so that an outage leaves one such
// operation for each client: their number decides how long a check takes.
func (h *history) work(ctx context.Context, c *client, number int, stopping <-chan struct{}) {
	onlyRead := false
	for ctx.Err() == nil {
		select {
		case <-stopping:
			return
		default:
		}
		in := entityInput{action: actionRead}
		if !onlyRead {
			in = entityInput{action: []action{actionRead, actionRead, actionCreate, actionMerge, actionMerge, actionMerge, actionDelete}[c.randomBelow(7)], field: c.randomBelow(2)}
		}
		if in.action == actionCreate || in.action == actionMerge {
			in.value = h.number()
		}
		call := time.Now()
		out := c.operate(ctx, h, in)
		end := time.Now()
		if in.action != actionRead || !out.unknown {
			h.add(number, in, out, call, end)
		}
		onlyRead = out.unknown
		if pause(ctx, c.between(20*time.Millisecond, 120*time.Millisecond)) != nil {
			return
		}
	}
}

// operate sends one request and returns what the response says.
func (c *client) operate(ctx context.Context, h *history, in entityInput) entityOutput {
	all := "/v1/spaces/" + h.spaceID + "/entities"
	one := all + "/" + h.entityID
	data := map[string]int{fieldNames[in.field]: in.value}
	var got response
	var err error
	send := func(method, path string, body any) {
		var content []byte
		if body != nil {
			if content, err = json.Marshal(body); err != nil {
				return
			}
		}
		got, err = c.once(ctx, method, c.url+path, c.header(), content)
	}
	switch in.action {
	case actionRead:
		send(http.MethodGet, one, nil)
	case actionCreate:
		send(http.MethodPost, all, map[string]any{"entity_id": h.entityID, "entity_data": data})
	case actionMerge:
		send(http.MethodPut, one, map[string]any{"entity_data": data})
	case actionDelete:
		send(http.MethodDelete, one, nil)
	}
	if err != nil || got.status >= http.StatusInternalServerError {
		if err == nil {
			c.checkTrouble("entity", got)
		}
		return entityOutput{unknown: true}
	}
	out, err := in.read(got)
	if err != nil {
		c.addViolation("entity %s: %+v: %v: %d %s", h.entityID, in, err, got.status, got.body)
		return entityOutput{unknown: true}
	}
	return out
}

// fieldNames are the fields of an entity that clients write.
var fieldNames = [2]string{"first", "second"}

// read reads a response.
func (in entityInput) read(got response) (entityOutput, error) {
	if got.status == http.StatusNotFound && in.action != actionCreate && bytes.Contains(got.body, []byte("Entity not found")) {
		return entityOutput{}, nil
	}
	if got.status != http.StatusOK && (got.status != http.StatusCreated || in.action != actionCreate) {
		return entityOutput{}, fmt.Errorf("unexpected status")
	}
	out := entityOutput{found: got.status == http.StatusOK}
	if in.action == actionDelete {
		return out, nil
	}
	var envelope struct {
		Data struct {
			Data map[string]int `json:"entity_data"`
		}
	}
	err := json.Unmarshal(got.body, &envelope)
	out.state.exists = true
	for i, name := range fieldNames {
		out.state.fields[i] = envelope.Data.Data[name]
	}
	return out, err
}
