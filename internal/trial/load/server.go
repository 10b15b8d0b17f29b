package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// server is a contender that serves HTTP.
type server struct {
	world  *world
	title  string
	door   door
	child  *child
	checks map[operation]check
	made   span // what the last round of create made
}

// check is the request of an operation and its expected response.
type check struct {
	request, response template
	status            int
}

// span is a range of numbers of entities, without its end.
type span struct{ first, end int }

// name implements contender.
func (s *server) name() string { return s.title }

// peak implements contender. It is the high-water mark since the start, over all rounds.
func (s *server) peak() (int64, error) { return peakMemory(s.child.process.Cmd.Process.Pid) }

// prepare sends each operation once, for the sample entity, compares the decoded response
// with what is stored, and keeps its bytes as the template of all other responses.
//
// What is learned, with {id} and {revision} for holes:
//
//	request     PUT /v1/spaces/SPACE/entities/{id} … {"entity_data":{"revision":{revision}}}
//	response    {"status":"ok","data":{"entity_id":"{id}", … "revision": {revision}, … }}
//
// The content of a response is thus understood once and compared thousands of times, at the price
// of a few comparisons of bytes.
func (s *server) prepare(ctx context.Context) (err error) {
	s.checks = map[operation]check{}
	c, err := connectTo(ctx, s.child.address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close(), s.world.clear(ctx)) }()
	for _, op := range operations() {
		if err := s.world.placeSample(ctx, op); err != nil {
			return err
		}
		method, path, body := s.door.request(s.world, op)
		learned := check{
			request: requestTemplate(method, path, s.child.address, s.world.bearer(), body),
			status:  s.door.status(op),
		}
		sample := values{id: []byte(sampleID), revision: []byte(sampleRevision)}
		status, response, err := c.do(learned.request.appendTo(nil, sample))
		if err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
		if status != learned.status {
			return fmt.Errorf("%s: status %d, want %d: %s", op, status, learned.status, response)
		}
		if s.door.read != nil {
			if err := checkResponse(op, response, s.door.read); err != nil {
				return fmt.Errorf("%s: %w", op, err)
			}
		}
		learned.response = newTemplate(slices.Clone(response), s.world.space(op))
		s.checks[op] = learned
	}
	return nil
}
