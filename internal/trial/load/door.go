package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// door builds the requests of operations and reads their responses.
type door struct {
	request func(w *world, op operation) (method, path, body string)
	read    func(op operation, body []byte) (json.RawMessage, error)
	status  func(op operation) int
}

func restDoor() door { return door{request: restRequest, read: readREST, status: restStatus} }

// graphQLDoor returns the door of GraphQL, which responds with 200 to every operation that ran.
func graphQLDoor() door {
	return door{
		request: graphQLRequest, read: readGraphQL,
		status: func(operation) int { return http.StatusOK },
	}
}

// restRequest returns the request for the sample entity, or for a list.
func restRequest(w *world, op operation) (method, path, body string) {
	entities := "/v1/spaces/" + w.space(op) + "/entities"
	switch op {
	case opCreate:
		return "POST", entities, `{"entity_id":"` + sampleID + `","entity_type":"` + entityType + `","entity_data":` + document + `}`
	case opList:
		return "GET", entities + "?limit=" + strconv.Itoa(pageSize), ""
	case opUpdate:
		return "PUT", entities + "/" + sampleID, `{"entity_data":` + revisionPatch + `}`
	case opDelete:
		return "DELETE", entities + "/" + sampleID, ""
	}
	return "GET", entities + "/" + sampleID, ""
}

// restStatus returns 201 for a create and 200 otherwise (API section 8).
func restStatus(op operation) int {
	if op == opCreate {
		return http.StatusCreated
	}
	return http.StatusOK
}

// readREST unwraps the envelope of REST and checks the response to a delete, which has no
// entity.
func readREST(op operation, body []byte) (json.RawMessage, error) {
	var response struct {
		Status string
		Data   json.RawMessage
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, err
	}
	if response.Status != "ok" {
		return nil, fmt.Errorf("status is %q, want ok", response.Status)
	}
	if want := `{"message":"Entity deleted"}`; op == opDelete && string(response.Data) != want {
		return nil, fmt.Errorf("data is %s, want %s", response.Data, want)
	}
	return response.Data, nil
}

// The documents of GraphQL select the fields that REST returns, under REST's names.
const (
	changedFields = `entity_id: entityId entity_type: type entity_data: data`
	recordFields  = changedFields + ` entity_state: state created_date: createdAt change_date: changedAt`
)

// graphQLDocument returns the document of an operation. All of them name their result by
// the same alias, so that one reader serves all.
func graphQLDocument(op operation) string {
	switch op {
	case opCreate:
		return `mutation ($i: CreateEntityInput!) { result: createEntity(input: $i) { entity { ` + changedFields + ` } } }`
	case opList:
		return `query ($s: ID!, $n: Int!) { result: space(id: $s) { entities(first: $n) { entities: nodes { ` +
			recordFields + ` } total: totalCount pageInfo { hasNextPage endCursor } } } }`
	case opUpdate:
		return `mutation ($i: UpdateEntityInput!) { result: updateEntity(input: $i) { entity { ` + changedFields + ` } } }`
	case opDelete:
		return `mutation ($s: ID!, $e: ID!) { result: deleteEntity(input: {spaceId: $s, entityId: $e}) { deletedEntityId } }`
	}
	return `query ($s: ID!, $e: ID!) { result: entity(spaceId: $s, entityId: $e) { ` + recordFields + ` } }`
}

// graphQLRequest sends the document with each request, as a client without persisted
// queries does. The server finds it in its cache of parsed documents.
func graphQLRequest(w *world, op operation) (method, path, body string) {
	space := w.space(op)
	variables := `{"s":"` + space + `","e":"` + sampleID + `"}`
	switch op {
	case opCreate:
		variables = `{"i":{"spaceId":"` + space + `","entityId":"` + sampleID + `","type":"` + entityType + `","data":` + document + `}}`
	case opList:
		variables = `{"s":"` + space + `","n":` + strconv.Itoa(pageSize) + `}`
	case opUpdate:
		variables = `{"i":{"spaceId":"` + space + `","entityId":"` + sampleID + `","data":` + revisionPatch + `}}`
	}
	return "POST", "/graphql", `{"query":` + strconv.Quote(graphQLDocument(op)) + `,"variables":` + variables + `}`
}

// readGraphQL unwraps the response down to what REST has in data.
//
// The responses, down to what is returned:
//
//	create, update    {"data": {"result": {"entity": FOUND}}}
//	list              {"data": {"result": {"entities": FOUND}}}
//	get               {"data": {"result": FOUND}}
//	delete            {"data": {"result": {"deletedEntityId": …}}}, which checkDeleted reads
func readGraphQL(op operation, body []byte) (json.RawMessage, error) {
	// The sample document has no such text, so its presence means an error.
	if strings.Contains(string(body), `"errors"`) {
		return nil, fmt.Errorf("errors: %s", body)
	}
	var response struct {
		Data struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, err
	}
	found := response.Data.Result
	switch op {
	case opDelete:
		return found, checkDeleted(found)
	case opCreate, opUpdate:
		var created struct{ Entity json.RawMessage }
		err := json.Unmarshal(found, &created)
		return created.Entity, err
	case opList:
		var space struct{ Entities json.RawMessage }
		err := json.Unmarshal(found, &space)
		return space.Entities, err
	}
	return found, nil
}

// checkDeleted reports a response that does not name the deleted entity. Ids in GraphQL
// hide the type, the space and the entity.
func checkDeleted(found json.RawMessage) error {
	var deleted struct{ DeletedEntityID string }
	if err := json.Unmarshal(found, &deleted); err != nil {
		return err
	}
	id, err := base64.RawURLEncoding.DecodeString(deleted.DeletedEntityID)
	if err != nil || !strings.HasSuffix(string(id), "/"+sampleID) {
		return fmt.Errorf("result is %s, want the id of %s", found, sampleID)
	}
	return nil
}
